import Sleepless
import Testing
import TestSupport

@Suite struct HasQueuesTests {
  @Test func `a feature can require queues by their purpose`() {
    struct Services: HasMainQueue, HasBackgroundQueue {
      let mainQueue: any DispatchQueueType = UserQueue()
      let backgroundQueue: any DispatchQueueType = .immediate
    }
    func start(_ drainJobs: some HasMainQueue & HasBackgroundQueue, _ log: Log<String>) {
      drainJobs.mainQueue.async { log.append("main") }
      drainJobs.backgroundQueue.async { log.append("background") }
    }
    let log = Log<String>()
    start(Services(), log)
    #expect(log.values == ["background"])
  }
}
