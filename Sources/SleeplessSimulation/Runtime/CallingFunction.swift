import CRuntimeHooks

/// Finds the function of the program that has called this library, also if it waits for an asynchronous call.
package enum CallingFunction {
  /// The innermost function of the program among the callers of the running code, and its line. Nil if there is none
  /// that is known.
  package static var frame: CodeFrame? {
    callers.lazy.compactMap { address -> CodeFrame? in
      // Threads of the program begin in functions of Foundation.
      let location = ImageLocation(of: UnsafeRawPointer(bitPattern: address))
      return location?.isOfSystem == false ? CodeFrame.ofUser(at: [address]).first : nil
    }.first
  }

  /// The functions on the stack up to the first asynchronous one, and then those that wait for it.
  private static var callers: [UInt] {
    var frames = [sleepless_frame](repeating: sleepless_frame(), count: 64)
    let count = sleepless_calling_frames(&frames, frames.count)
    var callers: [UInt] = []
    for frame in frames.prefix(count) {
      callers.append(frame.address)
      guard FunctionNames.isAsynchronous(at: frame.address) else { continue }
      var waiting = [UInt](repeating: 0, count: 64)
      let waitingCount = sleepless_waiting_frames(frame, &waiting, waiting.count)
      return callers + waiting.prefix(waitingCount)
    }
    return callers
  }
}
