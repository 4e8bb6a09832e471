import CRuntimeHooks

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// The first signal handlers that its code installed, and the first timers of the operating system that it started.
  var signalHandlersAndTimers: [BegunOutside] {
    guard sleepless_signal_handler(context, 0) != 0 || sleepless_system_timer(context, 0) != 0
    else { return [] }
    return (0..<CInt(sleepless_signal_place_limit)).flatMap { index in
      let places = [
        (BegunOutside.Kind.signalHandler, sleepless_signal_handler(context, index)),
        (.systemTimer, sleepless_system_timer(context, index)),
      ]
      return places.filter { $0.1 != 0 }.map { BegunOutside(kind: $0, time: nil, stack: [$1]) }
    }
  }
}

#if SLEEPLESS_CAPTURES_PROCESS
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
