import Dispatch
import Sleepless
import Testing
import TestSupport

/// Threads that send to an operator at once, for every operator. The system chooses the interleavings, so a pass
/// proves little; under the thread sanitizer it proves more.
@Suite(.timeLimit(.minutes(10))) struct OperatorThreadTests {
  private static let threads = 4

  @Test(arguments: TestedOperator.all)
  func `P1 four threads lose nothing, repeat nothing, and one call is made at a time`(
    tested: TestedOperator
  ) async {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let inputs = OperatorInputs(on: queue)
    let receiver = Receiver()
    let token = tested.subscribe(receiver, to: inputs)
    await waitForWork(on: queue)

    // One value first, because combinations begin with it. Then thread * 1,000,000 + count.
    let first = Self.threads * 1_000_000 + 1
    // An operator of several publishers must order their values itself, so it gets more rounds.
    let times = rounds(tested.sendToOther == nil ? 2_000 : 20_000)
    inputs.send(first)
    await withTaskGroup { group in
      for thread in 0..<Self.threads {
        let send = thread % 2 == 1 ? tested.sendToOther : nil
        group.addTask {
          await onThread {
            for number in 1...times {
              let value = thread * 1_000_000 + number
              send.map { $0(inputs, value) } ?? inputs.send(value)
            }
          }
        }
      }
    }
    inputs.finish()
    await receiver.end.wait()

    var sent = [first]
    for thread in 0..<Self.threads { sent += (1...times).map { thread * 1_000_000 + $0 } }
    expect(tested, tested.numbers(in: receiver.outputs), from: sent)
    #expect(!receiver.hasOverlapped)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TestedOperator.all)
  func `P4 P6 a cancellation while two threads send leaves no subscription, work or closure`(
    tested: TestedOperator
  ) async {
    for _ in 0..<rounds(100) {
      let inputs = OperatorInputs()
      weak var receiver: Receiver?
      let token = {
        let new = Receiver()
        receiver = new
        return tested.subscribe(new, to: inputs)
      }()
      await withTaskGroup { group in
        group.addTask { await onThread { for number in 1...20 { inputs.send(number) } } }
        group.addTask {
          let send = tested.sendToOther ?? { $0.send($1) }
          await onThread { for number in 21...40 { send(inputs, number) } }
        }
        group.addTask { await onThread { token.cancel() } }
      }
      #expect(inputs.leftovers == 0)
      #expect(receiver == nil)
    }
  }

  private func expect(_ tested: TestedOperator, _ numbers: [Int], from sent: [Int]) {
    let expected = tested.numbers(of: sent)
    if tested.dropsValues {
      #expect(numbers.count <= expected.count)
    } else {
      #expect(numbers.count == expected.count)
    }
    #expect(Set(numbers).subtracting(sent) == [])
    let disorder = (0...Self.threads).flatMap { thread in
      let own = numbers.filter { $0 / 1_000_000 == thread }
      return zip(own, own.dropFirst()).filter { $0 >= $1 }.prefix(1).map { "\($1) after \($0)" }
    }
    #expect(disorder == [])
  }

  /// Waits until the queue has run the work that was enqueued before, such as a subscription.
  private func waitForWork(on queue: DispatchQueue) async {
    await withCheckedContinuation { continuation in
      queue.async(flags: .barrier) { continuation.resume() }
    }
  }
}
