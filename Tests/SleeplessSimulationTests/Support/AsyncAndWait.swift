#if os(Linux)
  // C's, which Swift on Linux does not show.

  @_silgen_name("dispatch_async_and_wait")
  func asyncAndWait(_ queue: OpaquePointer, _ block: @convention(block) () -> Void)

  @_silgen_name("dispatch_barrier_async_and_wait")
  func barrierAsyncAndWait(_ queue: OpaquePointer, _ block: @convention(block) () -> Void)

  /// A work item of C, as `DispatchWorkItem` has one.
  typealias ItemOfC = @convention(block) () -> Void

  func makeItem(isBarrier: Bool = false, _ code: @escaping @Sendable () -> Void) -> ItemOfC {
    makeItem(flags: isBarrier ? 1 : 0, code)
  }

  @_silgen_name("dispatch_block_create")
  private func makeItem(flags: UInt, _ block: @convention(block) () -> Void) -> ItemOfC

  @_silgen_name("dispatch_block_cancel")
  func cancel(_ item: ItemOfC)
#endif
