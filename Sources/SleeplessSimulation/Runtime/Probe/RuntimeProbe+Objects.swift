#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks

  // Closures in memory, and the allocation and deallocation of objects.
  extension RuntimeProbe {
    static func sampleObjects() -> Bool {
      let tellsEnd =
        sleepless_can_watch()
        && sleepless_tells_end { withExtendedLifetime(RuntimeProbe.makeObject()) {} }
      return note(sleepless_fact_object_ends, tellsEnd)
        && note(sleepless_fact_object_births, logsObjects)
    }

    private static var logsObjects: Bool {
      let log = makeObject()
      return ProbeObject.$current.withValue(log) {
        sleepless_logs_object(
          Unmanaged.passUnretained(ProbeObject.$current).toOpaque(),
          Unmanaged.passUnretained(log).toOpaque(),
          { Unmanaged.passRetained(RuntimeProbe.makeObject()).toOpaque() },
          { Unmanaged<ProbeObject>.fromOpaque($0!).release() })
      }
    }

    /// Not inlined: the optimiser would allocate the object on the stack.
    @inline(never)
    private static func makeObject() -> ProbeObject { ProbeObject() }

    static func sampleClosures() -> Bool {
      let object = makeObject()
      let function = wrapped(holding(object))
      let parts = unsafeBitCast(
        Simulation.FunctionInMemory(body: function), to: (code: UInt, context: UInt).self)
      guard let context = UnsafeMutableRawPointer(bitPattern: parts.context),
        ImageLocation(of: UnsafeRawPointer(bitPattern: parts.code)) != nil
      else { return note(sleepless_fact_closure_shape, false) }
      return withExtendedLifetime(function) {
        note(sleepless_fact_closure_shape, countsReferences(to: context) && restoresReferences)
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

    /// Whether the references to a closure's context can be counted and added.
    private static func countsReferences(to context: UnsafeMutableRawPointer) -> Bool {
      let count = sleepless_retain_count(context)
      let object = Unmanaged<AnyObject>.fromOpaque(context)
      _ = object.retain()
      defer { object.release() }
      return count >= 1 && sleepless_retain_count(context) == count + 1
    }

    /// Whether references can be released and restored later, as `Simulation.run(lent:)` does for a body that
    /// never ends.
    private static var restoresReferences: Bool {
      let object = Unmanaged.passRetained(makeObject())
      let address = object.toOpaque()
      _ = object.retain().retain()
      let dropped = sleepless_release_other_references(address)
      guard dropped == 2, sleepless_retain_count(address) == 1 else { return false }
      object.release()
      sleepless_restore_references(address, dropped)
      // The object is never freed: `sleepless_release_other_references` keeps its memory.
      return sleepless_retain_count(address) >= dropped
    }
  }

  private final class ProbeObject: Sendable {
    @TaskLocal static var current: ProbeObject?

    // With a property, or the optimiser would make it a static object.
    let address: UInt

    init() { address = UInt(bitPattern: sleepless_current_task()) }
  }
#endif
