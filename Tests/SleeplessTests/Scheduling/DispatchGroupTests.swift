import Dispatch
import Sleepless
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DispatchGroupTests {
  private let group = DispatchGroup()

  @Test func `a group notifies a live queue held by protocol on that queue`() async {
    let notified = Event()
    let live = DispatchQueue(label: "group")
    let queue: any DispatchQueueType = live
    group.enter()
    group.notify(queue: queue) {
      dispatchPrecondition(condition: .onQueue(live))
      notified.happen()
    }
    group.leave()
    await notified.wait()
  }

  @Test func `a group enqueues its work on a queue that is not GCD's`() async {
    let notified = Event()
    let queue: any DispatchQueueType = ImmediateScheduler()
    group.notify(queue: queue) { notified.happen() }
    await notified.wait()
  }

  @Test func `a group notifies a concrete queue through GCD`() async {
    let notified = Event()
    group.notify(queue: .global()) { notified.happen() }
    await notified.wait()
  }
}
