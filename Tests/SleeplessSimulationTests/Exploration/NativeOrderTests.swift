import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Compares the orders of small programs that an exhaustive search finds with all that are possible, and with those
/// that real threads show.
///
/// Real threads show a sample. An order that they show and that is not among the possible ones is an error, whatever
/// the load; how many they show depends on it, and is printed.
@Suite(.wholeProcess, .serialized, .timeLimit(.minutes(10))) struct NativeOrderTests {
  @Test(arguments: SmallProgram.suspending) @available(macOS 15, *)
  func `S8 an exhaustive search finds each order that real threads show`(
    program: SmallProgram
  ) async {
    await expectEachOrder(of: program)
  }

  @Test(arguments: SmallProgram.notSuspending) @available(macOS 15, *)
  func
    `an await that need not wait is no place for other tasks, though another thread may run them`(
      program: SmallProgram
    ) async
  {
    await expectNoPlaceInOrders(of: program)
  }

  @Test @available(macOS 15.4, *)
  func `an isolated deinit of an actor runs right after the step that releases the object`() async {
    await expectNoPlaceInOrders(of: .deinitOfActor)
  }

  @Test @available(macOS 15.4, *)
  func `S8 an isolated deinit on the main actor runs in every order`() async {
    await expectEachOrder(of: .deinitOnMainActor)
  }

  @Test(arguments: SmallProgram.waking) @available(macOS 15, *)
  func `S8 a woken task before its waker's next statement is an order of woken first only`(
    program: SmallProgram
  ) async {
    let found = await exhaustiveOrders(of: program)
    #expect(found == ["ab"])
    let (_, woken) = await explored(.wokenFirst, schedules: 100) { await program.order() }
    #expect(Set(woken) == program.allOrders)
    let native = await nativeOrders(of: program)
    #expect(native.subtracting(woken) == [])
    print(program, native, found.union(woken))
  }

  @Test func `the orders of a program keep its chains`() {
    let program = SmallProgram("two chains", "ab cb") { _ in }
    #expect(program.allOrders == ["acb", "cab"])
  }

  /// Expects that an exhaustive search finds each order that the chains allow, and real threads show no other.
  @available(macOS 15, *)
  private func expectEachOrder(of program: SmallProgram) async {
    let found = await exhaustiveOrders(of: program)
    #expect(found == program.allOrders)
    let native = await nativeOrders(of: program)
    #expect(native.subtracting(found) == [])
    print(program, native, found)
  }

  /// Expects that an exhaustive search finds only the orders in which b comes right after a, and that real threads
  /// keep the chains.
  @available(macOS 15, *)
  private func expectNoPlaceInOrders(of program: SmallProgram) async {
    let found = await exhaustiveOrders(of: program)
    #expect(found == program.allOrders.filter { $0.contains("ab") })
    let native = await nativeOrders(of: program)
    #expect(native.subtracting(program.allOrders) == [])
    print(program, native, found)
  }

  private func print(_ program: SmallProgram, _ native: Set<String>, _ found: Set<String>) {
    Swift.print("\(program.name): \(native.count) orders on real threads, \(found.count) explored")
  }
}

@available(macOS 15, *)
private func exhaustiveOrders(of program: SmallProgram) async -> Set<String> {
  let (result, orders) = await explored(.exhaustive, schedules: 20_000) { await program.order() }
  #expect(result.isComplete)
  return Set(orders)
}

/// The orders that a program shows on real threads.
private func nativeOrders(of program: SmallProgram) async -> Set<String> {
  var orders: Set<String> = []
  for run in 0..<200 {
    // The tasks work a little, in each run another time, so that their steps meet in many ways.
    orders.insert(await program.order { letter in work((run &* 7919 &+ letter &* 104_729) % 97) })
  }
  return orders
}

private func work(_ amount: Int) {
  var sum = 0
  for number in 0..<(amount * amount) { sum &+= number }
  withExtendedLifetime(sum) {}
}
