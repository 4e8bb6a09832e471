import Dispatch
import Sleepless
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct WorkItemTests {
  private let log = Log<String>()

  private func item(_ name: String) -> DispatchWorkItem {
    DispatchWorkItem { [log] in log.append(name) }
  }

  /// Passes one item to each call that takes an item.
  private func scheduleInEveryWay(
    on scheduler: any SchedulerType, _ makeItem: (String) -> DispatchWorkItem
  ) {
    scheduler.async(execute: makeItem("async"))
    scheduler.asyncAfter(deadline: .now() + 0.001, execute: makeItem("deadline"))
    scheduler.asyncAfter(deadline: DispatchTime.now(), execute: makeItem("time"))
    scheduler.asyncAfter(wallDeadline: .now() + 0.001, execute: makeItem("wall"))
    scheduler.asyncAfter(wallDeadline: DispatchWallTime.now(), execute: makeItem("wall time"))
  }

  private let names = ["async", "deadline", "time", "wall", "wall time"]

  @Test func `every call that takes a closure also takes a work item`() {
    let user = UserScheduler()
    scheduleInEveryWay(on: user, item)
    user.run()
    #expect(log.values == names)
  }

  @Test func `an immediate scheduler performs work items`() {
    scheduleInEveryWay(on: ImmediateScheduler(), item)
    #expect(log.values == names)
  }

  @Test func `a live queue performs work items`() async {
    await withTaskGroup { group in
      let queue = DispatchQueue(label: "work items")
      scheduleInEveryWay(on: queue) { name in
        let done = Event()
        group.addTask { await done.wait() }
        return DispatchWorkItem { [log] in
          dispatchPrecondition(condition: .onQueue(queue))
          log.append(name)
          done.happen()
        }
      }
    }
    #expect(log.values.sorted() == names.sorted())
  }

  @Test func `a cancelled work item is skipped`() {
    let user = UserScheduler()
    let cancelled = item("cancelled")
    cancelled.cancel()
    ImmediateScheduler().async(execute: cancelled)
    let late = item("cancelled late")
    (user as any SchedulerType).async(execute: late)
    late.cancel()
    user.run()
    #expect(log.values == [])
  }

  @Test func `a work item that has run notifies, and its wait returns`() async {
    let notified = Event()
    let item = item("work")
    item.notify(queue: .global()) { notified.happen() }
    ImmediateScheduler().async(execute: item)
    await notified.wait()
    // real time: none, it has run
    #expect(item.wait(timeout: .now()) == .success)
    #expect(log.values == ["work"])
  }
}
