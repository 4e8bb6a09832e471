#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk
  import CRuntimeHooks
  import Dispatch

  /// Samples the facts about the runtime that searches rely on, with objects that it creates for the purpose.
  ///
  /// The facts are sampled once: before the first search, or when the process loads if a report is wanted. Each
  /// needs the facts that `sample()` has before it.
  enum HeapProbe {
    /// Whether all facts hold that each search needs.
    static let allHold: Bool = {
      // The first search may be that of a simulated test. What the samples begin belongs to no simulation.
      let outer = sleepless_act_outside(true)
      defer { _ = sleepless_act_outside(outer) }
      let allHold = sample()
      if allHold {
        _ = sleepless_note_fact(sleepless_fact_thread_values, sleepless_sample_thread_values())
        _ = HeapWalk.hasSnapshots
      }
      if sleepless_wants_report() {
        sleepless_print_line("Sleepless: the facts about memory")
        sleepless_print_facts(sleepless_fact_of_searches, sleepless_fact_of_waits)
      }
      return allHold
    }()

    private static func sample() -> Bool {
      sleepless_note_fact(sleepless_fact_reference_counts, countsReferences)
        && sleepless_note_fact(sleepless_fact_value_layout, hasValueLayout)
        && sleepless_note_fact(sleepless_fact_object_layout, hasObjectLayout)
        && sleepless_note_fact(sleepless_fact_enum_layout, followsEnums)
        && sleepless_note_fact(sleepless_fact_closure_layout, followsClosures)
        && sleepless_note_fact(sleepless_fact_collection_layout, followsCollections)
        && sleepless_note_fact(sleepless_fact_block_layout, followsBlocks && countsBlocks)
    }

    /// Whether the values of threads can be searched. Without this fact only they are left out.
    static var findsThreadValues: Bool {
      allHold && !sleepless_fact_fails(sleepless_fact_thread_values)
    }

    /// The first fact that does not hold, as the end of a sentence; nil if all hold.
    static var obstacle: String? {
      guard !allHold else { return nil }
      return (sleepless_fact_of_searches.rawValue..<sleepless_fact_of_better_searches.rawValue).lazy
        .map { sleepless_fact($0) }
        .first { sleepless_fact_fails($0) }
        .map {
          "\(String(cString: sleepless_fact_statement($0))) (\(String(cString: sleepless_fact_name($0))))"
        }
    }

    private static var countsReferences: Bool {
      let object = Unmanaged.passRetained(makeTarget())
      defer { object.release() }
      let address = UInt(bitPattern: object.toOpaque())
      guard counts(of: address) == (1, 0), seesDeinitialisation else { return false }
      _ = object.retain()
      let whenRetained = counts(of: address)
      object.release()
      var reference = WeakReference(object: object.takeUnretainedValue())
      return withUnsafeBytes(of: &reference) { word in
        whenRetained == (2, 0) && counts(of: address) == (1, 1)
          && word.load(as: UInt.self) == sideTable(of: address)
      }
    }

    private static var seesDeinitialisation: Bool {
      var isSeen: [Bool] = []
      do {
        let object = object { ProbeDeinit { isSeen.append(isDeinitialising($0)) } }
        isSeen.append(isDeinitialising(addressOf(object)))
      }
      return isSeen == [false, true]
    }

    private static func isDeinitialising(_ address: UInt) -> Bool {
      HeapWalk.run(onSnapshot: false) { _ in sleepless_is_deinitialising(address) }
    }

    /// What each weak reference to an object consists of.
    private static func sideTable(of address: UInt) -> UInt {
      HeapWalk.run(onSnapshot: false) { _ in sleepless_side_table(address) }
    }

    /// The strong and the weak references to an object, from a copy of the memory as it is now.
    private static func counts(of address: UInt) -> (strong: UInt64, weak: UInt64) {
      HeapWalk.run(onSnapshot: false) { _ in
        (sleepless_strong_count(address), sleepless_weak_count(address))
      }
    }

    // Not inlined: the optimiser would allocate the objects on the stack.

    @inline(never) private static func makeTarget() -> ProbeTarget { ProbeTarget() }

    @inline(never) private static func object(_ make: () -> AnyObject) -> AnyObject { make() }

    @inline(never) private static func box<Value>(_ value: Value) -> AnyObject { ProbeBox(value) }

    // MARK: Metadata. Words are read with `word(at:)`, which returns nil where no memory is mapped.

    private static var hasValueLayout: Bool {
      hasLayout(of: Int.self, .struct) && hasLayout(of: UInt8.self, .struct)
        && hasLayout(of: String.self, .struct) && hasLayout(of: UInt8?.self, .optional)
        && hasLayout(of: ProbeChoice.self, .enum) && hasLayout(of: (Int, UInt8).self, .tuple)
        && hasLayout(of: Any.self, .existential) && hasLayout(of: (() -> Void).self, .function)
    }

    private static func hasLayout<Value>(of type: Value.Type, _ kind: TypeMetadata.Kind) -> Bool {
      let address = unsafeBitCast(type as Any.Type, to: UInt.self)
      guard let word = word(at: address), word == kind.rawValue,
        let witnesses = self.word(at: address - 8), let size = self.word(at: witnesses + 64),
        let stride = self.word(at: witnesses + 72), let flags = self.word(at: witnesses + 80)
      else { return false }
      let isPlain = flags & 0x10000 == 0
      return size == MemoryLayout<Value>.size && stride == MemoryLayout<Value>.stride
        && flags & 0xff == MemoryLayout<Value>.alignment - 1 && isPlain == _isPOD(type)
        && TypeMetadata(address: address).isValue
    }

    private static var hasObjectLayout: Bool {
      let target = makeTarget()
      let holder = object { ProbeHolder(target) }
      let address = unsafeBitCast(ProbeHolder.self as Any.Type, to: UInt.self)
      guard word(at: addressOf(holder)) == address, word(at: address) == 0,
        let sizes = word(at: address + 24), sizes & 0xffff_ffff == ProbeHolder.size,
        TypeMetadata(address: address).heapKind == .class
      else { return false }
      // A number that equals the object's address is no reference.
      let number = object { ProbeNumber(addressOf(target)) }
      return path(from: holder, to: target) == "ProbeHolder.held.object -> ProbeTarget"
        && path(from: number, to: target) == nil
    }

    // MARK: Paths

    private static var followsEnums: Bool {
      let target = makeTarget()
      return path(from: box(ProbeChoice.object(target)), to: target) != nil
        && path(from: box(ProbeChoice.indirectObject(target)), to: target) != nil
        && path(from: box(ProbeChoice.number(1)), to: target) == nil
        && path(from: box(Optional(target)), to: target) != nil
        && path(from: box(target as Any), to: target) != nil
    }

    private static var followsClosures: Bool {
      let target = makeTarget()
      return path(from: box(function(holding: target)), to: target) != nil
        && path(from: box(genericFunction(holding: [KeyOfProbe(target: target)])), to: target)
          != nil
        && path(from: box(function(besides: {}, { $0 }, holding: target)), to: target) != nil
    }

    /// The block and the function of C take one word each, a function of Swift takes two.
    @inline(never)
    private static func function(
      besides block: @escaping @convention(block) () -> Void,
      _ function: @escaping @convention(c) (Int32) -> Int32, holding target: ProbeTarget
    ) -> () -> Void {
      { withExtendedLifetime((block, function, target)) {} }
    }

    @inline(never)
    private static func function(holding target: ProbeTarget) -> () -> Void {
      { withExtendedLifetime(target) {} }
    }

    @inline(never)
    private static func genericFunction<Value>(holding values: [Value]) -> () -> Void {
      { withExtendedLifetime(values) {} }
    }

    private static var followsCollections: Bool {
      let target = makeTarget()
      return path(from: box([target, target]), to: target) != nil
        && path(from: box([1: target]), to: target) != nil
        && path(from: box(Set([ObjectIdentifier(target)])), to: target) == nil
        && path(from: box([KeyOfProbe(target: target): 1]), to: target) != nil
    }

    private static var followsBlocks: Bool {
      let target = makeTarget()
      // Not in a generic box: the runtime has no witness table for blocks.
      let holder = ProbeBlock()
      holder.block = block(holding: target)
      let item = DispatchWorkItem { withExtendedLifetime(target) {} }
      return path(from: holder, to: target) != nil && path(from: item, to: target) != nil
    }

    @inline(never)
    private static func block(holding target: AnyObject) -> @convention(block) () -> Void {
      { withExtendedLifetime(target) {} }
    }

    private static var countsBlocks: Bool {
      let other = ProbeBlock()
      let holder = holderOfItsBlock(sharedWith: other)
      defer { Unmanaged<ProbeBlock>.fromOpaque(holder).takeUnretainedValue().block = nil }
      let address = UInt(bitPattern: holder)
      guard !isClosed(around: address) else { return false }
      other.block = nil
      return isClosed(around: address)
    }

    /// An object that only its own block holds.
    @inline(never)
    private static func holderOfItsBlock(sharedWith other: ProbeBlock) -> UnsafeMutableRawPointer {
      let holder = ProbeBlock()
      let block = block(holding: holder)
      holder.block = block
      other.block = block
      return Unmanaged.passUnretained(holder).toOpaque()
    }

    private static func isClosed(around object: UInt) -> Bool {
      HeapWalk.run(onSnapshot: false) { $0.isClosed(around: object, watched: []) }
    }

    /// The path as a failure shows it; nil if a precise search finds none.
    private static func path(from holder: AnyObject, to target: ProbeTarget) -> String? {
      HeapWalk.run(onSnapshot: false) { walk in
        let root = sleepless_root(address: addressOf(holder), size: 0)
        let finding = walk.find(addressOf(target), from: [root], within: .max)
        guard case .path(let steps) = finding else { return nil }
        return PathText.text(of: steps, to: addressOf(target))
      }
    }

    private static func addressOf(_ object: AnyObject) -> UInt {
      UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    private static func word(at address: UInt) -> UInt? {
      var word: UInt = 0
      return sleepless_read_now(address, &word, 8) ? word : nil
    }
  }

  private final class ProbeTarget {}

  private final class ProbeDeinit {
    let body: (_ address: UInt) -> Void

    init(_ body: @escaping (_ address: UInt) -> Void) { self.body = body }

    deinit { body(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }
  }

  private struct WeakReference {
    weak var object: ProbeTarget?
  }

  private struct ProbePair {
    let number: Int
    let object: AnyObject
  }

  private final class ProbeHolder {
    let number = 1
    let held: ProbePair

    init(_ object: AnyObject) { held = ProbePair(number: 2, object: object) }

    /// The bytes of an object: type and reference counts, a number, and a pair.
    static var size: Int { 16 + 8 + 16 }
  }

  private final class ProbeNumber {
    let number: UInt

    init(_ number: UInt) { self.number = number }
  }

  private final class ProbeBox<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private final class ProbeBlock {
    var block: (@convention(block) () -> Void)?
  }

  private enum ProbeChoice {
    case none
    case number(Int)
    case object(ProbeTarget)
    indirect case indirectObject(ProbeTarget)
  }

  private struct KeyOfProbe: Hashable {
    let target: ProbeTarget

    static func == (one: Self, other: Self) -> Bool { one.target === other.target }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(target)) }
  }

  // Otherwise the report would not have these facts in a run without searches.
  @section(".init_array") @used
  private let reportAtLoad: @convention(c) () -> Void = {
    if sleepless_wants_report() { _ = HeapProbe.allHold }
  }
#endif
