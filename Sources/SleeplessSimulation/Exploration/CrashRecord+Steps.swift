import CRuntimeHooks
import Sleepless

// A line of the steps is a letter and its words. It appears whole or not at all.
//
//     m 0 reader      task 0 made a task called reader; -1 is code outside tasks
//     s 2             task 2 took a step
//     w 2 1           task 2 took a step within a step of task 1, before task 1 went on
//     t 1500000000    the virtual time of the following steps, in nanoseconds

extension CrashRecord {
  func noteTask(creator: Int32, name: String?) {
    note("m", Int64(creator), name: name)
  }

  func noteStep(of task: Int32, before held: Int32? = nil, at now: Duration) {
    if now != latestInstant {
      latestInstant = now
      note("t", now.clampedNanoseconds)
    }
    if let held {
      note("w", Int64(task), Int64(held))
    } else {
      note("s", Int64(task))
    }
  }

  private func note(
    _ kind: Unicode.Scalar, _ first: Int64, _ second: Int64? = nil, name: String? = nil
  ) {
    // The last byte of the record says where the process crashed.
    guard !isClosed else { return }
    stepsEnd += sleepless_add_line_to_record(
      memory + stepsEnd, Self.capacity - 1 - stepsEnd, CChar(bitPattern: UInt8(ascii: kind)),
      first, second != nil, second ?? 0, name)
  }
}

extension ScheduleTrace {
  /// The schedule of a crash, from the lines of a record.
  init(recorded text: String) {
    self.init()
    var now = Duration.zero
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      let numbers = words.dropFirst().map { Int($0) }
      switch (words.first, numbers.first ?? nil) {
      case ("m", let creator?):
        addTask(creator: creator, name: words.count > 2 ? String(words[2]) : "", at: now)
      case ("t", let nanoseconds?): now = .nanoseconds(nanoseconds)
      case ("s", let task?): addStep(task, at: now)
      case ("w", let task?): addStep(task, heldTask: numbers.last ?? nil, at: now)
      default: break
      }
    }
  }

  private mutating func addTask(creator: Int, name: String, at now: Duration) {
    let number = tasks.count
    tasks.append(
      Participant(
        number: number, name: name.isEmpty ? nil : name, creator: creator < 0 ? nil : creator,
        instant: now, code: 0))
    if !steps.isEmpty { steps[steps.count - 1].effects.append(.made(number)) }
  }

  private mutating func addStep(_ task: Int, heldTask: Int? = nil, at now: Duration) {
    let task = tasks.indices.contains(task) ? task : nil
    steps.append(
      Step(
        instant: now, runnable: [Candidate(kind: .task, task: task)], chosen: 0, defaultIndex: 0,
        heldTask: heldTask))
  }
}
