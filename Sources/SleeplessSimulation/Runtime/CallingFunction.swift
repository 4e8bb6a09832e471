import CRuntimeHooks

/// Finds the function of the program that has called this library, also if it waits for an asynchronous call.
package enum CallingFunction {
  /// The innermost function of the program on the calling code's stack, and its line. Nil if there is none that is
  /// known.
  package static var frame: CodeFrame? {
    var frames = [UInt](repeating: 0, count: 64)
    let count = sleepless_calling_frames(&frames, frames.count)
    return frames.prefix(count).lazy.compactMap { CodeFrame.ofUser(at: [$0]).first }.first
  }
}
