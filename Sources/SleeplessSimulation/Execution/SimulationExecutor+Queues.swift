#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Foundation
  import Sleepless
  import VirtualTime

  /// Dispatch's queues: the program's blocks run as tasks of the simulation, each on its real queue.
  ///
  /// `DispatchQueues` decides which blocks may run. So a block takes its real queue only when no other block of the
  /// simulation has it, and when it is not suspended.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  extension SimulationExecutor {
    /// Makes the program's calls come here; false if they cannot be replaced.
    static func installQueueHooks() -> Bool {
      sleepless_install_queue_hooks(
        sleepless_queue_hooks(
          submits: { owner, queue, block, isBarrier, group, nanoseconds in
            let executor = SimulationExecutor.executor(owner!)
            guard let path = executor.path(of: queue!) else { return false }
            let work = QueueWork(
              block!, on: queue!, path: path, isBarrier: isBarrier, group: group,
              from: executor.creator)
            let delay = nanoseconds < 0 ? nil : Duration.nanoseconds(nanoseconds)
            executor.submit(work, after: delay)
            return true
          },
          begins_sync: { owner, queue, block, isBarrier, place in
            let executor = SimulationExecutor.executor(owner!)
            guard let path = executor.path(of: queue!) else { return sleepless_sync_is_real }
            let work = QueueWork(
              block!, on: queue!, path: path, isBarrier: isBarrier, isSync: true,
              from: executor.creator)
            let result = executor.beginSync(work)
            if result == sleepless_sync_is_here {
              place!.pointee = Unmanaged.passRetained(work).toOpaque()
              // The block may end the simulation that a test hosts.
              _ = Unmanaged.passRetained(executor)
            }
            return result
          },
          ends_sync: { owner, work in
            let work = Unmanaged<QueueWork>.fromOpaque(work!).takeRetainedValue()
            Unmanaged<SimulationExecutor>.fromOpaque(owner!).takeRetainedValue().end(work)
          },
          notifies: { owner, group, queue, block, isBarrier in
            let executor = SimulationExecutor.executor(owner!)
            guard let path = executor.path(of: queue!) else { return false }
            let work = QueueWork(
              block!, on: queue!, path: path, isBarrier: isBarrier, from: executor.creator)
            executor.submit(work, whenEmpty: group!)
            return true
          },
          goes_on: { object in
            let address = UInt(bitPattern: object)
            for executor in SimulationExecutor.withSuspendedQueues
            where executor.state.withLock({ $0.dispatchQueues.waits(for: address) }) {
              executor.startQueueWork()
            }
          },
          order_of_iterations: { owner, count in
            SimulationExecutor.executor(owner!).orderOfIterations(count)
          }))
    }

    /// The path of a queue whose blocks run in the simulation; nil if the real queue runs them.
    func path(of queue: UnsafeMutableRawPointer) -> QueuePath? {
      let isFollowed = state.withLock { state in
        guard !state.phase.isOver, state.followsQueues else { return false }
        state.hasUsedQueues = true
        return true
      }
      guard isFollowed else { return nil }
      let path = QueuePath(of: queue)
      if path == nil { noteBegunOutside(.block(queueName: QueueWork.name(of: queue))) }
      return path
    }

    var creator: TaskTable.Creator {
      let task = TaskPointer.current
      return state.withLock { $0.creator(in: task) }
    }

    // MARK: Blocks

    /// Takes a block for its queue, which gets it after a virtual duration; nil stands for never.
    private func submit(_ work: QueueWork, after delay: Duration?) {
      guard let delay else { return state.withLock { $0.dispatchQueues.keepForever(work) } }
      guard delay > .zero else { return add(work) }
      work.isTimed = true
      let due = timeline.now.advanced(by: delay)
      state.withLock { $0.dispatchQueues.delay(work, until: due) }
      countDelay(of: work.creator, +1)
      _ = queue.schedule(
        .function { [self] in
          // Of several deadlines at one instant, the timeline may reach another one first.
          let work = state.withLock { $0.dispatchQueues.takeDelayed(inPlaceOf: work) }
          countDelay(of: work.creator, -1)
          // A block that comes due when the test is over does not run.
          if isTestRunning { add(work) }
        }, after: delay, label: work.queueName, at: CallSite())
      host?.noteDelayedWork()
    }

    func countDelay(of creator: TaskTable.Creator, _ change: Int) {
      if creator.isBackground { state.withLock { $0.dispatchQueues.backgroundDelays += change } }
    }

    var isTestRunning: Bool {
      if case .running = state.withLock({ $0.phase }) { true } else { false }
    }

    func add(_ work: QueueWork, isFromOutside: Bool = false) {
      let isFromOutside = isFromOutside || !isRunningHere
      let isOver = state.withLock { state in
        if state.phase.isOver { return true }
        if isFromOutside { state.addBlockFromOutside() }
        state.dispatchQueues.add(work)
        return false
      }
      if isOver { giveUp([work]) } else { startQueueWork(afterAdding: work) }
    }

    /// Begins all work that may run now.
    func startQueueWork(afterAdding added: QueueWork? = nil) {
      let isFromOutside = !isRunningHere
      repeat {
        let (startable, sentOn) = state.withLock { state in
          let taken = state.dispatchQueues.takeStartable()
          if isFromOutside {
            for reservation in taken.startable
            where !reservation.runsOnCaller && reservation.work !== added {
              state.addBlockFromOutside()
            }
          }
          return taken
        }
        for reservation in startable {
          if reservation.runsOnCaller {
            letWaiterGoOn(reservation.work)
          } else {
            makeTask(for: reservation)
          }
        }
        for work in sentOn {
          noteBegunOutside(.block(queueName: work.queueName))
          if work.isSync { letWaiterGoOn(work) } else { work.sendOn() }
        }
        // A queue may have gone on before the simulation was known as one that is to be told of it.
      } while noteSuspendedQueues()
    }

    private func letWaiterGoOn(_ work: QueueWork) {
      Self.letGoOn(waitingFor: work.address, sleepless_change_signal)
    }

    /// Makes the task that runs a block. It prefers the simulation, and has the test's task-local values, as detached
    /// tasks in simulations do.
    private func makeTask(for reservation: DispatchQueues.Reservation) {
      let outer = sleepless_work_of_task()
      sleepless_set_work_of_task(Unmanaged.passUnretained(reservation.work).toOpaque())
      let name = reservation.work.queueName
      capture.run(for: self) {
        if reservation.path.runsOnMain {
          _ = Task.detached(name: name) { @MainActor [self] in perform(reservation) }
        } else {
          _ = Task.detached(name: name) { [self] in perform(reservation) }
        }
      }
      sleepless_set_work_of_task(outer)
    }

    /// Runs a block whose queue was reserved for it, if that reservation holds.
    private func perform(_ reservation: DispatchQueues.Reservation) {
      let (work, path) = (reservation.work, reservation.path)
      let isOnQueue = !path.targetsMain || BlockOnMain.isRunning(of: path.queue)
      let start = state.withLock { state -> DispatchQueues.Start? in
        if isOnQueue { return state.dispatchQueues.start(reservation) }
        return state.phase.isOver ? nil : state.dispatchQueues.putBack(reservation)
      }
      guard let start else {
        BlockOnMain(of: work.queue, isBarrier: work.isBarrier).call { [self] in
          perform(reservation)
        }
        return
      }
      switch start {
      case .runs:
        if work.isOfRunLoop { addMainRunLoopSources(-1) }
        work.run()
        let usesRunLoops = end(work)
        if usesRunLoops, !path.runsOnMain { forgetRunLoop() }
      case .waits: startQueueWork()
      case .isOver: break
      }
    }

    /// Notes that a block has run, and begins what has waited for it. Returns whether code has used the run loop of a
    /// thread other than the main one; that is read here because the lock is held.
    @discardableResult
    private func end(_ work: QueueWork) -> Bool {
      let usesRunLoops = state.withLock { state in
        state.dispatchQueues.end(work)
        return state.dispatchQueues.usesRunLoops
      }
      if work.isSync {
        work.hasRun?.send()
        letWaiterGoOn(work)
      }
      startQueueWork()
      letWaitersGoOnAfterClose()
      return usesRunLoops
    }

    // MARK: Threads that wait for a queue

    private func beginSync(_ work: QueueWork) -> sleepless_sync_place {
      if let host, host.isOnStackOfTest {
        if work.path.runsOnMain {
          // Dispatch would stop the process, because the test's code is on the main queue.
          host.failWaitForItself(because: work.awaitedName)
          work.run()
          return sleepless_sync_is_done
        }
      } else if taskToBlock == nil {
        return runHere(until: work)
      } else {
        letOthersRunFirst()
      }
      add(work)
      let awaited = Awaited(
        address: work.address, name: work.awaitedName, isGroup: false
      ) { [self] in state.withLock { _ in work.letsWaiterGoOn } }
      while true {
        // Most queues are free, and a record of a blocked thread costs much more than a look.
        guard awaited.take() || block(until: awaited, atMost: nil) == sleepless_wait_ended else {
          return withdraw(work)
        }
        guard work.runsOnCaller else { return sleepless_sync_is_done }
        switch state.withLock({ $0.dispatchQueues.start(work) }) {
        case .runs: return sleepless_sync_is_here
        case .waits: startQueueWork()
        case .isOver: return withdraw(work)
        }
      }
    }

    /// Lets threads go on whose queues are free, if the simulation is closed.
    func letWaitersGoOnAfterClose() {
      for work in state.withLock({ $0.dispatchQueues.takeFreeAfterClose() }) { letWaiterGoOn(work) }
    }

    /// Has a thread wait for the real queue. If its block runs already, as blocks of the main queue may, waits for its
    /// end.
    private func withdraw(_ work: QueueWork) -> sleepless_sync_place {
      if state.withLock({ $0.dispatchQueues.withdraw(work) }) {
        // Others may run that came after it.
        startQueueWork()
        return sleepless_sync_is_real
      }
      work.hasRun?.wait()
      return sleepless_sync_is_done
    }

    /// Runs what the simulation has for a queue before a block, then lets the caller run the block. The calling code is
    /// run by no job that could be blocked: it is the work of a scheduler. If something before the block cannot run
    /// here, the block is for the real queue.
    private func runHere(until work: QueueWork) -> sleepless_sync_place {
      state.withLock { $0.dispatchQueues.add(work) }
      while true {
        let next = state.withLock { state -> QueueWork? in
          guard let next = state.dispatchQueues.takeNext(for: work), !next.path.runsOnMain,
            state.dispatchQueues.start(next) == .runs
          else { return nil }
          return next
        }
        guard let next else { return withdraw(work) }
        if next === work { return sleepless_sync_is_here }
        next.run()
        end(next)
      }
    }

    // MARK: Iterations

    /// The order in which the iterations of one call of `concurrentPerform` run, in memory that the caller frees: random
    /// if the simulation has a seed; nil for their own order.
    private func orderOfIterations(_ count: Int) -> UnsafeMutablePointer<Int>? {
      guard let seed = options.timingSeed ?? options.order.seed,
        let memory = malloc(count * MemoryLayout<Int>.stride)
      else { return nil }
      let call = state.withLock { state in
        state.dispatchQueues.shuffledPerforms += 1
        return state.dispatchQueues.shuffledPerforms
      }
      var generator = SeededGenerator(seed: mixed(seed, call))
      let order = memory.bindMemory(to: Int.self, capacity: count)
      // The inside-out form of Durstenfeld's shuffle: CACM 7 (1964), algorithm 235.
      for index in 0..<count {
        let other = generator.next(below: index + 1)
        if other != index { order[index] = order[other] }
        order[other] = index
      }
      return order
    }

    // MARK: Groups

    /// A block that runs once a group is empty.
    private struct Notification: @unchecked Sendable {
      // Unchecked because of the pointer, which is retained.

      let executor: SimulationExecutor
      let group: UnsafeMutableRawPointer
      let work: QueueWork
    }

    private static let notifications = Locked<[UInt: [Notification]]>([:])

    private func submit(_ work: QueueWork, whenEmpty group: UnsafeMutableRawPointer) {
      let notification = Notification(executor: self, group: group, work: work)
      let address = UInt(bitPattern: group)
      sleepless_retain_dispatch(group)
      sleepless_count_waiters(1)
      Self.notifications.withLock { $0[~address, default: []].append(notification) }
      // The group may have become empty before the notification was known.
      if sleepless_group_is_empty(group) { Self.submitNotifications(of: address) }
    }

    /// Whether blocks wait for a group. Calls `retain` then, while they have a reference to the group.
    static func isNotified(by address: UInt, _ retain: () -> Void) -> Bool {
      notifications.withLock { notifications in
        if notifications[~address] != nil { retain() }
        return notifications[~address] != nil
      }
    }

    /// Submits the blocks that wait for a group, if it is empty.
    static func submitNotifications(of address: UInt, isFromOutside: Bool = false) {
      let submitted = submissionLock.withLock { _ in
        let waiting = notifications.withLock { notifications -> [Notification] in
          guard let waiting = notifications[~address], sleepless_group_is_empty(waiting[0].group)
          else {
            return []
          }
          notifications[~address] = nil
          return waiting
        }
        for notification in waiting where !notification.executor.isRunningHere {
          notification.executor.add(notification.work, isFromOutside: isFromOutside)
        }
        return waiting
      }
      // Without the lock: the blocks of the running simulation may run at once, and what a block holds may be released.
      for notification in submitted {
        if notification.executor.isRunningHere {
          notification.executor.add(notification.work, isFromOutside: isFromOutside)
        }
        sleepless_count_waiters(-1)
        sleepless_release_dispatch(notification.group)
      }
    }

    /// Held while blocks are taken out of `notifications` and submitted to other simulations. Once a driver has held this
    /// lock, its simulation has the blocks of all groups that were empty before.
    private static let submissionLock = Locked(())

    /// Submits the blocks of this simulation whose groups are empty; false if there are none.
    func submitOwnNotifications() -> Bool {
      let addresses = Self.submissionLock.withLock { _ in
        Self.notifications.withLock { all in
          all.values.filter { waiting in
            waiting.contains { $0.executor === self } && sleepless_group_is_empty(waiting[0].group)
          }.map { UInt(bitPattern: $0[0].group) }
        }
      }
      for address in addresses { Self.submitNotifications(of: address, isFromOutside: true) }
      return !addresses.isEmpty
    }

    /// The blocks that have not begun.
    var waitingBlocks: [WaitingBlocks] {
      let forGroups = Self.notifications.withLock { all in
        all.values.flatMap { $0 }
          .filter { $0.executor === self && !$0.work.creator.isBackground }
          .map(\.work.queueName)
      }
      let onQueues = state.withLock { $0.dispatchQueues.waitingBlocks }
      return WaitingBlocks.joined(onQueues + forGroups.map { ($0, .group) })
    }

    /// Takes the blocks of this simulation that wait for groups.
    private func takeNotifications() -> [Notification] {
      Self.notifications.withLock { all in
        let own = all.values.flatMap { $0 }.filter { $0.executor === self }
        guard !own.isEmpty else { return [] }
        all = all.mapValues { $0.filter { $0.executor !== self } }.filter { !$0.value.isEmpty }
        return own
      }
    }

    // MARK: Queues that are suspended

    /// The simulations in which work waits for a queue that is suspended.
    private static let waitingForQueues = Locked<[ObjectIdentifier: SimulationExecutor]>([:])

    private static var withSuspendedQueues: [SimulationExecutor] {
      waitingForQueues.withLock { Array($0.values) }
    }

    /// Notes whether work of this simulation waits for a queue that is suspended. Returns true if it does since now.
    private func noteSuspendedQueues() -> Bool {
      guard state.withLock({ $0.dispatchQueues.isAnySuspended != $0.dispatchQueues.isToldOfQueues })
      else { return false }
      let change = Self.waitingForQueues.withLock { waiting in
        state.withLock { state in
          let isWaiting = state.dispatchQueues.isAnySuspended
          guard isWaiting != state.dispatchQueues.isToldOfQueues else { return 0 }
          state.dispatchQueues.isToldOfQueues = isWaiting
          waiting[ObjectIdentifier(self)] = isWaiting ? self : nil
          return isWaiting ? 1 : -1
        }
      }
      if change != 0 { sleepless_count_suspended(CInt(change)) }
      return change == 1
    }

    // MARK: The end

    /// Gives what is left to the real queues when the simulation is closed. Blocks of a dead simulation must not run,
    /// and are never released.
    func giveUp(_ work: [QueueWork], neverDue: [QueueWork] = []) {
      _ = noteSuspendedQueues()
      let isDead = state.withLock { $0.phase.isDead }
      let notifications = takeNotifications()
      if isDead {
        for work in work + neverDue + notifications.map(\.work) { _ = Unmanaged.passRetained(work) }
        sleepless_count_waiters(-CInt(notifications.count))
        return
      }
      for work in work where !work.isSync { work.sendOn() }
      letWaitersGoOnAfterClose()
      for notification in notifications {
        sleepless_count_waiters(-1)
        sleepless_send_to_group(
          notification.group, notification.work.queue, notification.work.block)
        sleepless_release_dispatch(notification.group)
      }
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  extension QueueWork {
    fileprivate var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }
  }
#endif
