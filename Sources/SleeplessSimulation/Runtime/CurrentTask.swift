/// Identifies a task by the runtime's number for it, which is never used twice.
///
/// The runtimes of macOS 13, iOS 16, tvOS 16 and watchOS 9 have no such number. There the task's address is
/// used, which another task may have after this one has ended.
package func taskID(of job: UnownedJob) -> UInt64 {
  if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { return number(of: job) }
  return address(of: job)
}

// The availability lets an app that links this library start on an older system. Without it the loader
// would require the function.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@_silgen_name("swift_task_getJobTaskId")
private func number(of job: UnownedJob) -> UInt64

/// The address of a job. No other job has it until its task has ended.
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
