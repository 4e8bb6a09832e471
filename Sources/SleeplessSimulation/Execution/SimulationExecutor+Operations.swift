#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks

  /// Foundation's operations: they give their work to queues of Dispatch.
  ///
  /// When an operation has ended, Foundation gives those that depend on it, in the order of a set. They are kept until it
  /// has given all, and go to their queues in the order in which they were added.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  extension SimulationExecutor {
    /// Makes the calls of operations come here; false if they cannot be replaced.
    static func installOperationHooks() -> Bool {
      sleepless_install_operation_hooks(
        sleepless_operation_hooks(
          main_operations: { owner in
            let executor = SimulationExecutor.executor(owner!)
            guard executor.path(of: sleepless_main_queue_object()) != nil else { return nil }
            return Unmanaged.passRetained(executor.kept.withLock { $0.mainOperations }).toOpaque()
          },
          made_item: { owner, item in
            SimulationExecutor.executor(owner!).state.withLock {
              $0.dispatchQueues.operations.noteItem(UInt(bitPattern: item))
            }
          },
          keeps: { owner, queue, block, isBarrier in
            let executor = SimulationExecutor.executor(owner!)
            guard let path = executor.path(of: queue!) else { return false }
            let work = QueueWork(
              block!, on: queue!, path: path, isBarrier: isBarrier, from: executor.creator)
            let item = UInt(bitPattern: block)
            return executor.state.withLock { state in
              guard !state.phase.isOver else { return false }
              state.dispatchQueues.operations.keep(work, item: item)
              return true
            }
          },
          submits_kept: { owner in
            let executor = SimulationExecutor.executor(owner!)
            let kept = executor.state.withLock { $0.dispatchQueues.operations.takeKept() }
            for work in kept { executor.add(work) }
          }))
    }
  }
#endif
