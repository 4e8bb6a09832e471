#if os(Linux) && compiler(>=6.3) && !SLEEPLESS_PUBLIC_EXECUTORS
  import CRuntimeHooks
  import Sleepless

  // Actors, sleeps, clocks and functions.
  extension RuntimeProbe {
    static func sampleHops(_ sample: UnsafeMutablePointer<sleepless_sample>) -> Bool {
      let executor = ProbeExecutor()
      let actor = ProbeActor()
      let holds = Locked(false)
      nonisolated(unsafe) let sample = sample
      Task(executorPreference: executor) {
        let count = sample.pointee.hop_count
        let hop = await actor.latestHop(sample)
        let cameBack = sample.pointee.hop == nil && sample.pointee.hop_count == count + 2
        holds.withLock { $0 = hop == UInt(bitPattern: actor.address) && cameBack }
      }
      return note(sleepless_fact_actor_hops, holds.withLock { $0 })
    }

    static func sampleSleeps() -> Bool {
      let executor = ProbeExecutor()
      let delay = Duration.seconds(3600)
      Task(executorPreference: executor) {
        try? await Task.sleep(for: delay)  // real time: none, the probe's executor ends sleeps at once
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

    // MARK: Functions

    static func sampleClosures() -> Bool {
      let object = ProbeObject()
      let function = wrapped(holding(object))
      let parts = unsafeBitCast(
        Simulation.FunctionInMemory(body: function), to: (code: UInt, context: UInt).self)
      guard let context = UnsafeMutableRawPointer(bitPattern: parts.context),
        ImageLocation(of: UnsafeRawPointer(bitPattern: parts.code)) != nil
      else { return note(sleepless_fact_closure_shape, false) }
      return withExtendedLifetime(function) {
        note(sleepless_fact_closure_shape, canBeHeld(context) && countsCanBeDropped)
      }
    }

    @inline(never)
    private static func holding(_ object: ProbeObject) -> @Sendable () async throws -> Void {
      { withExtendedLifetime(object) {} }
    }

    @inline(never)
    private static func wrapped(
      _ function: @escaping @Sendable () async throws -> Void
    ) -> @Sendable () async throws -> Void {
      { try await function() }
    }

    /// Whether an object's references can be counted, held and released as `Simulation.run(lent:)` does it.
    private static func canBeHeld(_ context: UnsafeMutableRawPointer) -> Bool {
      let count = sleepless_retain_count(context)
      let object = Unmanaged<AnyObject>.fromOpaque(context)
      _ = object.retain()
      defer { object.release() }
      return count >= 1 && sleepless_retain_count(context) == count + 1
    }

    private static var countsCanBeDropped: Bool {
      let object = Unmanaged.passRetained(ProbeObject())
      let address = object.toOpaque()
      _ = object.retain().retain()
      let dropped = sleepless_release_other_references(address)
      guard dropped == 2, sleepless_retain_count(address) == 1 else { return false }
      object.release()
      sleepless_restore_references(address, dropped)
      // The memory counts as a function's that its caller has lent, so it is never freed.
      return sleepless_retain_count(address) >= dropped
    }
  }

  /// An actor that the probe enters.
  actor ProbeActor {
    nonisolated var address: UnsafeRawPointer {
      UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Where the latest hop went, as seen inside the actor.
    func latestHop(_ sample: UnsafeMutablePointer<sleepless_sample>) -> UInt {
      UInt(bitPattern: sample.pointee.hop)
    }
  }

  final class ProbeObject: Sendable {}
#endif
