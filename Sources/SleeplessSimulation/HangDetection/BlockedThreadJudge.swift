/// Judges whether a thread is blocked, from what it does at some moments.
///
/// The judgement is to be the same on a busy machine. So moments are counted and no time is measured, and a moment
/// at which another thread of the process waits for a core does not count: that thread may hold the lock.
struct BlockedThreadJudge {
  private let thread: CInt
  private let atStart: Duration
  private var latest = CPUContention.Reading.now()
  private var waitsForLock = 0
  private var waits = 0

  /// `thread` is the kernel's number.
  init(_ thread: CInt) {
    self.thread = thread
    atStart = CPUContention.Reading.Thread(thread)?.ran ?? .zero
  }

  /// Looks at the thread once more. Returns the reason if the thread is blocked; see `ThreadForJobsWithinSteps.run`.
  mutating func reason(isRecorded: Bool) -> BlockingCode.Reason? {
    let now = CPUContention.Reading.now()
    defer { latest = now }
    let thread = now.threads[thread]
    waits = thread?.isRunnable == true ? 0 : waits + 1
    if waits == 0 || !CPUContention.Reading.Thread.waitsForLock(self.thread) {
      waitsForLock = 0
    } else if !now.lacksCore(since: latest) {
      waitsForLock += 1
    }
    let ran = (thread?.ran ?? .zero) - atStart
    if waitsForLock == 10, !isRecorded { return .lock }
    return waits == 400 || ran > .seconds(2) ? .other : nil
  }
}
