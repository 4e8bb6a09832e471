#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  extension SimulationExecutor {
    /// Lets simulations note what their code begins outside.
    static func installOutsideHook() {
      sleepless_set_outside_hook { owner, kind in
        SimulationExecutor.executor(owner!).noteBegunOutside(BegunOutside.Kind(kind))
      }
    }

    func noteBegunOutside(_ kind: BegunOutside.Kind) {
      let work = BegunOutside(kind: kind, time: timeline.now.duration, stack: Self.jobStack)
      state.withLock { $0.outside.begin(work) }
    }
  }

  extension BegunOutside.Kind {
    fileprivate init(_ kind: sleepless_outside_kind) {
      switch kind {
      case sleepless_outside_source: self = .source
      case sleepless_outside_data_source: self = .dataSource
      case sleepless_outside_channel: self = .channel
      case sleepless_outside_timer: self = .timer
      case sleepless_outside_network: self = .network
      case sleepless_outside_thread: self = .thread
      default: self = .process
      }
    }
  }
#endif
