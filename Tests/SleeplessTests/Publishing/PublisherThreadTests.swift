import Sleepless
import Testing
import TestSupport

/// Threads that send, subscribe and cancel at once. The system chooses the interleavings, so a pass
/// proves little; under the thread sanitizer it proves more.
///
/// The tests need this many sends. In a debug build they send a tenth.
@Suite(.timeLimit(.minutes(10))) struct PublisherThreadTests {
  /// The values of one subscriber, without a lock: a publisher makes one call at a time, and the
  /// thread sanitizer would report two at once.
  private final class Record: @unchecked Sendable {
    // Unchecked on purpose: the test checks this.
    var values: [Int] = []
    private var isInside = false
    private(set) var overlapped = false

    func note(_ value: Int) {
      overlapped = overlapped || isInside
      isInside = true
      values.append(value)
      isInside = false
    }
  }

  private func concurrently(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
    // A lock, so that the thread sanitizer sees that the threads' work came before.
    let ended = Locked(0)
    await withTaskGroup { group in
      for index in 0..<count {
        group.addTask {
          await onThread { work(index) }
          ended.withLock { $0 += 1 }
        }
      }
    }
    #expect(ended.withLock { $0 } == count)
  }

  private static let threads = 8

  /// Numbers the values per thread: thread * 1,000,000 + count.
  private func sendFromAllThreads(times: Int, _ send: @escaping @Sendable (Int) -> Void) async {
    await concurrently(Self.threads) { thread in
      for count in 0..<times { send(thread * 1_000_000 + count) }
    }
  }

  private func expectEverything(in values: [Int], times: Int) {
    var next = Array(repeating: 0, count: Self.threads)
    var isComplete = values.count == Self.threads * times
    for value in values {
      // Each thread's values arrive in the order in which it sent them: none lost, none twice.
      let (thread, count) = value.quotientAndRemainder(dividingBy: 1_000_000)
      if next[thread] != count { isComplete = false }
      next[thread] = count + 1
    }
    #expect(isComplete)
  }

  @Test func `P1 eight threads send 100,000 values each: none lost, none twice, one order for all`()
    async
  {
    let subject = EventSubject<Int, Never>()
    let records = (0..<3).map { _ in Record() }
    let tokens = records.map { record in subject.sink { record.note($0) } }
    let times = rounds(100_000)
    await sendFromAllThreads(times: times) { subject.send($0) }
    expectEverything(in: records[0].values, times: times)
    #expect(records.allSatisfy { $0.values == records[0].values })
    #expect(!records.contains { $0.overlapped })
    withExtendedLifetime(tokens) {}
  }

  @Test
  func
    `P5 eight threads set a state 10,000 times each: it ends as the last value of every subscriber`()
    async
  {
    let subject = StateSubject<Int, Never>(0)
    let records = (0..<2).map { _ in Record() }
    let tokens = records.map { record in subject.sink { record.note($0) } }
    let times = rounds(10_000)
    await sendFromAllThreads(times: times) { subject.value = $0 }
    expectEverything(in: Array(records[0].values.dropFirst()), times: times)
    #expect(records[0].values == records[1].values)
    #expect(subject.value == records[0].values.last)
    withExtendedLifetime(tokens) {}
  }

  @Test func `P4 no callback starts after cancel has returned, whichever thread sends`() async {
    let subject = EventSubject<Int, Never>()
    let isDone = Locked(false)
    let late = Locked(0)
    await concurrently(3) { thread in
      guard thread == 0 else {
        // A bounded loop: a thread keeps delivering as long as others send, and that thread may be
        // thread 0.
        for _ in 0..<100_000 where !isDone.withLock({ $0 }) { subject.send(thread) }
        return
      }
      for _ in 0..<rounds(2_000) {
        // A callback that another thread has started may run to its end. No second callback may
        // follow.
        let begunAfter = Locked(Int?.none)
        let token = subject.sink { _ in begunAfter.withLock { if $0 != nil { $0! += 1 } } }
        token.cancel()
        begunAfter.withLock { $0 = 0 }
        subject.send(-1)
        late.withLock { late in late = max(late, begunAfter.withLock { $0! }) }
      }
      isDone.withLock { $0 = true }
    }
    #expect(late.withLock { $0 } <= 1)
    #expect(subject.subscriberCount == 0)
  }

  @Test func `P4 no lock is held: a callback may wait for a thread that uses the same publishers`()
    async
  {
    let subject = StateSubject<Int, Never>(0)
    let merged = subject.merge(with: subject.map { -$0 }).combineLatest(subject).prefix(100)
    let log = Log<String>()
    let sibling = Locked<SubscriptionToken?>(subject.sink { _ in })
    let tokens = [
      merged.sink { _ in },
      subject.sink { value in
        guard value == 1 else { return }
        let isDone = Gate()
        startThread {
          subject.send(2)
          log.append("value \(subject.value)")
          let token = merged.sink { first, _ in log.append("first \(first)") }
          sibling.withLock { $0.take() }?.cancel()
          token.cancel()
          isDone.open()
        }
        isDone.wait()
        log.append("waited")
      },
    ]
    await onThread { subject.send(1) }
    // The third subscription gets its first value from the merge of 2 and -2, which are there at
    // once.
    #expect(log.values == ["value 2", "first -2", "waited"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `P5 a subscriber that joins while others send gets a state and all values after it`()
    async
  {
    let subject = StateSubject<Int, Never>(0)
    let histories = Log<(atLeast: Int, values: [Int])>()
    await concurrently(4) { thread in
      guard thread > 0 else {
        for number in 1...rounds(30_000) { subject.send(number) }
        return
      }
      for _ in 0..<300 {
        let current = subject.value
        let values = Log<Int>()
        let token = subject.sink { values.append($0) }
        for _ in 0..<50 { _ = subject.value }
        token.cancel()
        histories.append((current, values.values))
      }
    }
    #expect(histories.values.count == 900)
    #expect(
      histories.values.allSatisfy { atLeast, values in
        guard let first = values.first else { return false }
        return first >= atLeast && values == Array(first..<first + values.count)
      })
    #expect(subject.subscriberCount == 0)
  }

  @Test func `P6 no subscriber is left after subscribing, cancelling and ending at once`() async {
    for _ in 0..<rounds(200) {
      let subject = EventSubject<Int, Oops>()
      await concurrently(3) { thread in
        if thread == 0 { return subject.send(completion: .finished) }
        for number in 0..<20 {
          let token = subject.sink { _ in
          } receiveValue: { _ in
          }
          if number % 2 == 0 { token.cancel() }
          subject.send(number)
        }
      }
      #expect(subject.subscriberCount == 0)
    }
  }
}
