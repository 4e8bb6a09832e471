#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Sleepless

  // Actors, sleeps and clocks.
  extension RuntimeProbe {
    static func sampleHops(_ sample: UnsafeMutablePointer<sleepless_sample>) -> Bool {
      let executor = ProbeExecutor()
      let actor = ProbeActor()
      let holds = Locked(false)
      nonisolated(unsafe) let sample = sample
      Task(executorPreference: executor) {
        let count = sample.pointee.hop_count
        let hopToActor = await actor.latestHop(sample)
        let cameBack = sample.pointee.hop == nil && sample.pointee.hop_count == count + 2
        holds.withLock { $0 = hopToActor == UInt(bitPattern: actor.address) && cameBack }
      }
      return note(sleepless_fact_actor_hops, holds.withLock { $0 })
    }

    static func sampleSleeps() -> Bool {
      let executor = ProbeExecutor()
      let delay = Duration.seconds(3600)
      Task(executorPreference: executor) {
        // real time: none, the probe's executor ends sleeps at once
        try? await Task.sleep(for: delay)
        // real time: none, for the same reason
        try? await SuspendingClock().sleep(until: .now + delay)
      }
      executor.endSleeps()
      let isGiven = executor.sleeps.allSatisfy { $0 <= delay && $0 > delay - .seconds(60) }
      return note(sleepless_fact_sleeps, executor.sleeps.count == 2 && isGiven)
    }

    static func sampleClocks(_ sample: UnsafeMutablePointer<sleepless_sample>) -> Bool {
      let before = sample.pointee
      _ = ContinuousClock.now
      _ = SuspendingClock.now
      let after = sample.pointee
      let areRead =
        after.continuous_reads > before.continuous_reads
        && after.suspending_reads > before.suspending_reads
      return note(sleepless_fact_clocks, areRead)
    }
  }

  /// An actor that the probe enters.
  actor ProbeActor {
    nonisolated var address: UnsafeRawPointer {
      UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// The address of the actor to which the latest hop went, read inside the actor.
    func latestHop(_ sample: UnsafeMutablePointer<sleepless_sample>) -> UInt {
      UInt(bitPattern: sample.pointee.hop)
    }
  }
#endif
