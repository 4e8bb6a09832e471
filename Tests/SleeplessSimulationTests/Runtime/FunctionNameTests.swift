import SleeplessSimulation
import Testing

/// Names of functions, from what the runtime's demangler gives for symbols.
@Suite struct FunctionNameTests {
  @Test(arguments: [
    ("Shop.Cart.pay(card: Shop.Card) async throws -> ()", "Cart.pay(card:)"),
    ("static Shop.Cart.< infix(Shop.Cart, Shop.Cart) -> Swift.Bool", "Cart.<(_:_:)"),
    ("fetch #1 () async -> ()", "fetch()"),
    ("Shop.Cart.total.getter : Swift.Int", "Cart.total"),
    ("Shop.Box.subscript.getter : (Swift.Int) -> A", "Box.subscript"),
    ("Shop.Cart.init(card: Shop.Card) -> Shop.Cart", "Cart.init(card:)"),
    (
      "Shop.load(Shop.Log<@Sendable () -> ()>, then: (Swift.Int) -> ()) async -> ()",
      "load(_:then:)"
    ),
    (
      "(extension in Shop):Swift.Array.total<A where A: Swift.Numeric>(by: (A) -> A, Swift.Int) -> A",
      "Array.total(by:_:)"
    ),
    (
      "static (extension in Shop):Shop.Cart.add(item: (name: Swift.String, price: Swift.Int)) -> ()",
      "Cart.add(item:)"
    ),
    ("Shop.Tests.it\u{A0}works\u{A0}(really)() async", "Tests.it\u{A0}works\u{A0}(really)()"),
  ])
  func `a name has its type and the labels of its arguments`(symbol: String, text: String) {
    #expect(FunctionName(demangled: symbol)?.text == text)
  }

  @Test func `what a macro makes of a test with arguments has no name`() {
    let closure = """
      $s4Shop5TestsV04$s4A5Tests0B0V3pay4TestfMp_25generatorb1950cb4f0477070fMu_33_2E05D83B9A0360F8757F30CD50A8FF11L\
      L7Testing4TestVyYaYbFZSayAA0A0VGyYaYbcfU_
      """
    #expect(FunctionNames.readable(closure) == nil)
    #expect(FunctionNames.readable("$s4Shop5TestsV3payyyYaF") == "Tests.pay()")
  }

  @Test(arguments: [
    ("$s4Shop5TestsV3payyyYaF", FunctionNames.Origin.user("Tests.pay()")),
    // static SleeplessTesting.Simulation.outside() -> ()
    ("$s16SleeplessTesting10SimulationO7outsideyyFZ", .library),
    // generic specialization <Swift.Int> of SleeplessTesting.eventually<A>(A) -> ()
    ("$s16SleeplessTesting10eventuallyyyxlFSi_Tg5", .library),
    // closure #1 () -> () in SleeplessTesting.eventually() -> ()
    ("$s16SleeplessTesting10eventuallyyyFyycfU_", .library),
    // The user's function has a parameter of this library's type.
    ("$s4Shop4wait3fory16SleeplessTesting4TestC_tF", .user("wait(for:)")),
    // A stand-in for static Foundation.Thread.sleep(forTimeInterval: Swift.Double) -> ()
    ("$s10Foundation6ThreadC5sleep15forTimeIntervalySd_tFZ", .other),
    ("usleep", .other),
  ])
  func `a function is the user's, this library's or another's`(
    symbol: String, origin: FunctionNames.Origin
  ) {
    #expect(FunctionNames.origin(of: symbol) == origin)
  }

  @Test func `what is no function has no name`() {
    #expect(FunctionName(demangled: "swift_task_switch") == nil)
  }
}
