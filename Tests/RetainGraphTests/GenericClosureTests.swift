#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import RetainGraph
  import Testing

  /// Paths through closures that are made in generic code: the places of their captures depend on the generic
  /// arguments.
  @Suite(.enabled(if: RetainPathSearch.obstacle == nil, "memory cannot be searched"))
  struct GenericClosureTests {
    private static let shapes: [Shape] = [
      Shape("a class") { keeping($0) },
      Shape("a structure") { keeping(Pair(number: 1, model: $0)) },
      Shape("an array of structures") { keepingAll([Pair(number: 1, model: $0)]) },
      Shape("an optional") { keepingIfAny(Pair(number: 1, model: $0)) },
      Shape("a handler of the value") { model in keeping(7) { _ in model.touch() } },
      Shape("a dictionary") { keeping(["a": $0]) },
      Shape("a generic structure") { keeping(Box(value: $0)) },
      Shape("two types of different size") { keeping(UInt8(1), (1, $0)) },
      Shape("a method's own parameter") { Maker(value: "a").keeping($0) },
      Shape("a generic class") { Holder(value: $0).keepingItself() },
      Shape("an associated type") { keepingFirst([Pair(number: 1, model: $0)]) },
    ]

    @Test(arguments: shapes)
    private func `a closure of generic code is followed to what it captures`(shape: Shape) {
      let address = shape.make()
      let search = RetainPathSearch(tasks: [], areTasksAtRest: false, testCase: nil) { _ in "" }
      let (holder, isForGood) = RetainPathSearch.$budget.withValue(.seconds(10)) {
        (search.holder(of: address), search.isHeldForGood(address, watched: []))
      }
      Unmanaged<Model>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).takeUnretainedValue()
        .action = nil
      guard case .itself(let path) = holder else { return #expect(Bool(false), "\(holder)") }
      #expect(path.description.hasPrefix("Model.action -> closure"), "\(path)")
      #expect(!path.description.contains("A guess"), "\(path)")
      #expect(isForGood)
    }
  }

  /// A closure in which an object holds itself.
  private struct Shape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let closure: @Sendable (Model) -> () -> Void

    init(_ name: String, closure: @escaping @Sendable (Model) -> () -> Void) {
      testDescription = name
      self.closure = closure
    }

    /// Builds the object and returns its address. Not inlined: the caller would hold the object.
    @inline(never) func make() -> UInt {
      let model = Model()
      model.action = closure(model)
      return UInt(bitPattern: Unmanaged.passUnretained(model).toOpaque())
    }
  }

  private final class Model {
    var action: (() -> Void)?

    func touch() {}
  }

  private struct Pair {
    let number: Int
    let model: Model
  }

  private struct Box<Value> {
    let value: Value
  }

  private final class Holder<Value> {
    let value: Value

    init(value: Value) { self.value = value }

    @inline(never) func keepingItself() -> () -> Void { { withExtendedLifetime(self) {} } }
  }

  private struct Maker<Value> {
    let value: Value

    @inline(never) func keeping<Other>(_ other: Other) -> () -> Void {
      { withExtendedLifetime((value, other)) {} }
    }
  }

  // Not inlined: the optimiser would make closures that are not generic.

  @inline(never) private func keeping<Value>(_ value: Value) -> () -> Void {
    { withExtendedLifetime(value) {} }
  }

  @inline(never) private func keepingAll<Value>(_ values: [Value]) -> () -> Void {
    { withExtendedLifetime(values) {} }
  }

  @inline(never) private func keepingIfAny<Value>(_ value: Value?) -> () -> Void {
    { withExtendedLifetime(value) {} }
  }

  @inline(never)
  private func keeping<Value>(_ value: Value, _ handler: @escaping (Value) -> Void) -> () -> Void {
    { handler(value) }
  }

  @inline(never)
  private func keeping<First, Second>(_ first: First, _ second: Second) -> () -> Void {
    { withExtendedLifetime((first, second)) {} }
  }

  @inline(never)
  private func keepingFirst<Values: Collection>(_ values: Values) -> () -> Void {
    let first = values.first
    return { withExtendedLifetime(first) {} }
  }
#endif
