// virtual time: all sleeps are in simulations
import Combine
import Dispatch
import Foundation
import OpenCombineDispatch
import OpenCombineFoundation
import Sleepless
import SleeplessTesting
import Testing

#if os(Linux)
  /// Pipelines that are made, fed and cancelled in tasks, in blocks of queues and in operations of a simulation.
  @Suite struct CombineOriginTests {
    @Test(.simulated, arguments: Origin.allCases, Place.allCases)
    func `a pipeline is made and subscribed`(origin: Origin, place: Place) async throws {
      let log = PipelineLog(roundingTo: place.unit)
      try await Task.sleep(for: .seconds(1))
      origin.run {
        let subject = CurrentValueSubject<String, Late>("a")
        log.follow(TimedOperator.delay.applied(to: subject, on: place.scheduler))
        subject.send("b")
        subject.send(completion: .finished)
      }
      try await Task.sleep(for: .seconds(60))
      #expect(log.lines == ["a at 6.0 seconds", "b at 6.0 seconds", "end at 6.0 seconds"])
    }

    @Test(.simulated, arguments: Origin.allCases)
    func `values are sent, and the pipeline is cancelled`(origin: Origin) async throws {
      let log = PipelineLog()
      nonisolated(unsafe) let subject = PassthroughSubject<String, Never>()
      log.follow(
        subject.debounce(for: .seconds(1), scheduler: DispatchQueue(label: "values").ocombine))
      for value in ["a", "b"] {
        origin.run { subject.send(value) }
        try await Task.sleep(for: .milliseconds(1500))
      }
      origin.run { subject.send("c") }
      try await Task.sleep(for: .milliseconds(900))
      origin.run { log.cancel() }
      await settle()
      #expect(log.lines == ["a at 1.0 seconds", "b at 2.5 seconds"])
    }

    @Test(.simulated) func `a sink that sleeps holds up the next values of its queue`() async throws
    {
      let log = PipelineLog()
      let queue = DispatchQueue(label: "values")
      log.follow(
        [1, 2].publisher.delay(for: .seconds(5), scheduler: queue.ocombine)
          .handleEvents(receiveOutput: { _ in Thread.sleep(forTimeInterval: 3) }))
      await settle()
      #expect(log.lines == ["1 at 8.0 seconds", "2 at 11.0 seconds", "end at 11.0 seconds"])
    }

    // MARK: Where the parts of a pipeline run

    private static let key = DispatchSpecificKey<String>()

    private static func queue(_ label: String) -> DispatchQueue {
      let queue = DispatchQueue(label: label)
      queue.setSpecific(key: key, value: label)
      return queue
    }

    /// The queue that runs this code.
    private static var place: String { DispatchQueue.getSpecific(key: key) ?? "no queue" }

    @Test(.simulated) func `each part runs on its queue`() async throws {
      let log = PipelineLog()
      let (work, delay, result) = (Self.queue("work"), Self.queue("delay"), Self.queue("result"))
      let note: @Sendable (String) -> Void = { log.note("\($0) on \(Self.place)") }
      log.follow(
        Deferred {
          note("made")
          return Just(1)
        }
        .map { value in note("mapped") }
        .subscribe(on: work.ocombine)
        .delay(for: .seconds(2), scheduler: delay.ocombine)
        .map { value in note("delayed") }
        .receive(on: result.ocombine)
        .map { value in Self.place })
      await settle()
      #expect(
        log.lines == [
          "made on work at 0.0 seconds", "mapped on work at 0.0 seconds",
          "delayed on delay at 2.0 seconds", "result at 2.0 seconds", "end at 2.0 seconds",
        ])
    }

    @Test(.simulated) func `subscribe(on:) cancels on its queue`() async throws {
      let log = PipelineLog()
      let work = Self.queue("work")
      let subject = PassthroughSubject<Int, Never>()
      log.follow(
        subject.handleEvents(receiveCancel: { log.note("cancelled on \(Self.place)") })
          .subscribe(on: work.ocombine))
      try await Task.sleep(for: .seconds(1))
      // The queue is busy for two seconds.
      work.async { Thread.sleep(forTimeInterval: 2) }
      try await Task.sleep(for: .seconds(1))
      log.cancel()
      await settle()
      #expect(log.lines == ["cancelled on work at 3.0 seconds"])
    }

    @MainActor @Test(.simulated, arguments: [Place.mainQueue, .mainRunLoop, .mainOperationQueue])
    func `the main schedulers deliver on the main actor`(place: Place) async throws {
      let log = PipelineLog()
      let queue = DispatchQueue(label: "work")
      let values = Just("a").setFailureType(to: Late.self)
        .delay(for: .seconds(2), scheduler: queue.ocombine)
      log.follow(
        TimedOperator.receive.applied(to: values, on: place.scheduler)
          .map { value in MainActor.assumeIsolated { value } })
      await settle()
      #expect(log.lines == ["a at 2.0 seconds", "end at 2.0 seconds"])
    }
  }

  /// Where code of a simulation runs.
  enum Origin: CaseIterable {
    case here, task, detachedTask, mainActor, actor
    case mainQueue, serialQueue, globalQueue, barrier, delayedBlock, workItem
    case operation, mainRunLoop

    func run(_ work: @escaping @Sendable () -> Void) {
      let concurrent = DispatchQueue(label: "origin", attributes: .concurrent)
      switch self {
      case .here: work()
      case .task: Task { work() }
      case .detachedTask: Task.detached { work() }
      case .mainActor: Task { @MainActor in work() }
      case .actor: Task { await Worker().run(work) }
      case .mainQueue: DispatchQueue.main.async(execute: work)
      case .serialQueue: DispatchQueue(label: "origin").async(execute: work)
      case .globalQueue: DispatchQueue.global().async(execute: work)
      case .barrier: concurrent.async(flags: .barrier, execute: work)
      case .delayedBlock: concurrent.asyncAfter(deadline: .now(), execute: work)
      case .workItem: concurrent.async(execute: DispatchWorkItem(block: work))
      case .operation: OperationQueue().addOperation(work)
      case .mainRunLoop: RunLoop.main.perform(work)
      }
    }

    private actor Worker {
      func run(_ work: @Sendable () -> Void) { work() }
    }
  }
#endif
