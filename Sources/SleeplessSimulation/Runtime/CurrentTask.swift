/// What tells a task from all others: the runtime's own number of it, never used twice.
///
/// The runtimes of macOS 13, iOS 16, tvOS 16 and watchOS 9 have none to give. There it is where the
/// task lies in memory, and so may come to be another task's, once this one has ended.
package func taskID(of job: UnownedJob) -> UInt64 {
  if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { return number(of: job) }
  return address(of: job)
}

// Available since then, so that where an older system will do, the loader does not insist on it: an app
// that links this would not start there.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@_silgen_name("swift_task_getJobTaskId")
private func number(of job: UnownedJob) -> UInt64

/// Where the runtime keeps a job; nothing else is there until its task has ended.
package func address(of job: UnownedJob) -> UInt64 {
  UInt64(unsafeBitCast(job, to: UInt.self))
}

/// Identifies the task that is running on this thread; nil outside every task.
package func currentTaskID() -> UInt64? {
  withUnsafeCurrentTask { task in
    // Both are one pointer to the same runtime object; the standard library offers no conversion.
    task.map { taskID(of: unsafeBitCast($0, to: UnownedJob.self)) }
  }
}
