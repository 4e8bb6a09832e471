#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && canImport(Runtime)
  import Runtime
#endif

/// Finds the function of the program that has called this library, also if it waits for an asynchronous call.
package enum CallingFunction {
  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && canImport(Runtime)
    /// The innermost function of the program on the calling code's stack, and its line. Nil if there is none that is
    /// known.
    package static var frame: CodeFrame? {
      // Twice as much as usual: between the caller and this function may be many of the runtime.
      guard let stack = try? Backtrace.capture(limit: 128) else { return nil }
      return stack.frames.lazy.compactMap { frame in
        address(of: frame).flatMap { CodeFrame.ofUser(at: [$0]).first }
      }.first
    }

    private static func address(of frame: Backtrace.Frame) -> UInt? {
      switch frame {
      case .programCounter(let address), .returnAddress(let address),
        .asyncResumePoint(let address):
        UInt64(address).map { UInt($0) }
      case .omittedFrames, .truncated: nil
      @unknown default: nil
      }
    }
  #else
    package static var frame: CodeFrame? { nil }
  #endif
}
