#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Sleepless
  import VirtualTime

  /// Dispatch's queues: the program's blocks run as tasks of the simulation, each on its real queue.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  extension SimulationExecutor {
    /// Makes the program's calls come here; false if they cannot be replaced.
    static func installQueueHooks() -> Bool {
      sleepless_install_queue_hooks(
        sleepless_queue_hooks(
          submits: { owner, queue, block, isBarrier, group, nanoseconds in
            let executor = SimulationExecutor.executor(owner!)
            guard executor.followsQueues, let path = QueuePath(of: queue!) else { return false }
            let work = QueueWork(block!, on: queue!, path: path, isBarrier: isBarrier, group: group)
            let delay = nanoseconds < 0 ? nil : Duration.nanoseconds(nanoseconds)
            executor.submit(work, after: delay)
            return true
          },
          begins_sync: { owner, queue, block, isBarrier, place in
            let executor = SimulationExecutor.executor(owner!)
            guard executor.followsQueues, let path = QueuePath(of: queue!) else {
              return sleepless_sync_is_real
            }
            let work = QueueWork(block!, on: queue!, path: path, isBarrier: isBarrier, isSync: true)
            let result = executor.beginSync(work)
            if result == sleepless_sync_is_here {
              place!.pointee = Unmanaged.passRetained(work).toOpaque()
            }
            return result
          },
          ends_sync: { owner, work in
            let work = Unmanaged<QueueWork>.fromOpaque(work!).takeRetainedValue()
            SimulationExecutor.executor(owner!).end(work)
          },
          notifies: { owner, group, queue, block in
            let executor = SimulationExecutor.executor(owner!)
            guard executor.followsQueues, let path = QueuePath(of: queue!) else { return false }
            let work = QueueWork(block!, on: queue!, path: path, isBarrier: false)
            executor.submit(work, whenEmpty: group!)
            return true
          },
          goes_on: {
            for executor in SimulationExecutor.withWaitingQueues { executor.startQueueWork() }
          }))
    }

    /// Whether the simulation still runs the program's blocks.
    private var followsQueues: Bool { state.withLock { !$0.isOver && $0.followsQueues } }

    // MARK: Blocks

    /// Takes a block for its queue, which gets it after a virtual duration; nil stands for never.
    private func submit(_ work: QueueWork, after delay: Duration?) {
      guard let delay else { return }
      guard delay > .zero else { return add(work) }
      _ = queue.schedule(
        .function { [self] in
          // A block that comes due when the test is over does not run.
          guard case .running = state.withLock({ $0.phase }) else { return }
          add(work)
        }, after: delay, label: work.queueName, at: CallSite())
    }

    private func add(_ work: QueueWork) {
      let isOver = state.withLock { state in
        if !state.isOver { state.dispatchQueues.add(work) }
        return state.isOver
      }
      if isOver {
        sleepless_send_to_queue(work.queue, work.block, work.isBarrier)
      } else {
        startQueueWork()
      }
    }

    /// Begins all work that may run now.
    private func startQueueWork() {
      let (startable, isNoted) = state.withLock { state in
        let startable = state.dispatchQueues.takeStartable()
        for work in startable where work.runsOnCaller { work.letsWaiterGoOn = true }
        return (startable, state.dispatchQueues.isWaitingNoted)
      }
      if !isNoted { noteWaitingQueues() }
      for work in startable {
        if work.runsOnCaller {
          Self.letGoOn(waitingFor: work.address, sleepless_change_signal)
        } else {
          makeTask(for: work)
        }
      }
    }

    /// Makes the task that runs a block. It prefers the simulation, and has the test's task-local values, as detached
    /// tasks in simulations do.
    private func makeTask(for work: QueueWork) {
      capture.run(for: self) {
        if work.path.isMain {
          _ = Task.detached(name: work.queueName) { @MainActor [self] in perform(work) }
        } else {
          _ = Task.detached(name: work.queueName) { [self] in perform(work) }
        }
      }
    }

    private func perform(_ work: QueueWork) {
      work.run()
      end(work)
    }

    /// Notes that a block has run, and begins what has waited for it.
    private func end(_ work: QueueWork) {
      state.withLock { state in
        state.dispatchQueues.end(work)
        work.letsWaiterGoOn = true
      }
      if work.isSync { Self.letGoOn(waitingFor: work.address, sleepless_change_signal) }
      startQueueWork()
    }

    // MARK: Threads that wait for a queue

    private func beginSync(_ work: QueueWork) -> sleepless_sync_place {
      guard blockedThread(for: nil, because: nil) != nil else { return sleepless_sync_is_real }
      add(work)
      let awaited = Awaited(address: work.address, name: "the \(work.queueName)", isGroup: false) {
        [self] in state.withLock { _ in work.letsWaiterGoOn }
      }
      // Most queues are free, and a record of a blocked thread costs much more than a look.
      guard awaited.take() || block(until: awaited, atMost: nil) == sleepless_wait_ended else {
        return sleepless_sync_is_real
      }
      return work.runsOnCaller ? sleepless_sync_is_here : sleepless_sync_is_done
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
    static func submitNotifications(of address: UInt) {
      let waiting = notifications.withLock { notifications -> [Notification] in
        guard let waiting = notifications[~address], sleepless_group_is_empty(waiting[0].group)
        else {
          return []
        }
        notifications[~address] = nil
        return waiting
      }
      for notification in waiting {
        sleepless_count_waiters(-1)
        notification.executor.add(notification.work)
        sleepless_release_dispatch(notification.group)
      }
    }

    // MARK: Queues that go on

    /// The simulations in which work waits for a queue.
    private static let waitingForQueues = Locked<[ObjectIdentifier: SimulationExecutor]>([:])

    private static var withWaitingQueues: [SimulationExecutor] {
      waitingForQueues.withLock { Array($0.values) }
    }

    /// Notes whether work of this simulation waits for a queue, which may be one that is suspended.
    private func noteWaitingQueues() {
      let change = Self.waitingForQueues.withLock { waiting in
        let isWaiting = state.withLock { $0.dispatchQueues.noteWaiting() }
        guard let isWaiting else { return 0 }
        waiting[ObjectIdentifier(self)] = isWaiting ? self : nil
        return isWaiting ? 1 : -1
      }
      if change != 0 { sleepless_count_waiting_queues(CInt(change)) }
    }

    /// Gives what is left to the real queues when the simulation is closed.
    func sendQueueWorkOn(_ work: [QueueWork]) {
      for work in work where !work.isSync {
        sleepless_send_to_queue(work.queue, work.block, work.isBarrier)
      }
      noteWaitingQueues()
      let notifications = Self.notifications.withLock { all -> [Notification] in
        let own = all.values.flatMap { $0 }.filter { $0.executor === self }
        for (address, waiting) in all {
          let others = waiting.filter { $0.executor !== self }
          all[address] = others.isEmpty ? nil : others
        }
        return own
      }
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
