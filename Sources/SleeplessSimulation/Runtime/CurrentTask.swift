/// The runtime's own number of a job, unlike its address never used twice.
@_silgen_name("swift_task_getJobTaskId")
package func taskID(of job: UnownedJob) -> UInt64

/// Identifies the task that is running on this thread; nil outside every task.
package func currentTaskID() -> UInt64? {
  withUnsafeCurrentTask { task in
    // Both are one pointer to the same runtime object; the standard library offers no conversion.
    task.map { taskID(of: unsafeBitCast($0, to: UnownedJob.self)) }
  }
}
