import CRuntimeHooks
import Foundation
import Sleepless

/// Keeps the running schedule in a file that is mapped into memory. The file outlives the process.
///
/// Before the first schedule the file holds only the test's name. From then on it holds a replay string between two
/// writes: the seed is written before a schedule begins, and some characters with each choice. A write does no system
/// call, and the kernel keeps the file however the process ends. A crashing process prints the string if it still can,
/// see `Crash.c`.
///
/// The second half of the file holds the tasks and the steps of the schedule so far, a line for each; see
/// `CrashRecord+Steps.swift`.
///
/// Unchecked because the exploration and its simulation write to it in turn.
final class CrashRecord: @unchecked Sendable {
  /// The version of a string with each choice, as the index of the chosen job, and each task that
  /// ran within a step.
  static let version: Character = "c"

  static let capacity = 1 << 16
  /// Where the steps begin.
  static let half = capacity / 2
  private static let scheduleDigits = 9

  private let path: String
  let memory: UnsafeMutablePointer<UInt8>
  /// Its number among the records of the process, for `sleepless_context.crash_record`.
  let number: CInt
  private let mark: UInt32
  /// Where the replay string begins.
  private let start: Int
  /// The index of the schedule's number in the memory.
  private let schedulePlace: Int
  private var end: Int
  private(set) var isClosed = false
  /// The end of the steps.
  var stepsEnd = CrashRecord.half
  /// The virtual time of the latest step.
  var latestInstant = Duration.zero

  /// Nil if the file cannot be made. Crashes are then not attributed to schedules.
  init?(test name: String, mark: UInt32, in folder: String = CrashRecord.folder) {
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let number = Self.counter.withLock { number in
      number += 1
      return number
    }
    path = "\(folder)/\(getpid())-\(number).schedule"
    guard let memory = sleepless_map_file(path, Self.capacity) else { return nil }
    self.memory = memory.assumingMemoryBound(to: UInt8.self)
    self.mark = mark
    // Two lines: the test's name, and the string, which `begin` writes.
    let oneLine = name.utf8.map { $0 == 10 || $0 == 0 ? 32 : $0 }.prefix(Self.capacity / 4)
    var head = Array(oneLine) + Array(", schedule ".utf8)
    schedulePlace = head.count
    head += Array(repeating: 32, count: Self.scheduleDigits) + [10]
    for (index, byte) in head.enumerated() { self.memory[index] = byte }
    start = head.count
    end = start
    self.number = sleepless_watch_crashes(memory, Self.capacity)
  }

  deinit { close() }

  /// Removes the file. `deinit` alone is not enough, because deadlocked tasks may retain this for ever.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    if sleepless_unwatch_crashes(number) { sleepless_unmap_file(memory, Self.capacity) }
    unlink(path)
  }

  private static let counter = Locked(0)

  static var folder: String {
    NSTemporaryDirectory() + "/sleepless-schedules"
  }

  private static func digits(_ number: UInt32, count: Int) -> [UInt8] {
    (0..<count).map { Base64.alphabet[Int(number >> UInt32(6 * $0) & 63)] }
  }

  func begin(schedule: Int, timingSeed: UInt32?) {
    guard !isClosed else { return }
    // Without a string there is no schedule to replay: the process dies between two of them.
    memory[start] = 0
    memory[Self.half] = 0
    (stepsEnd, latestInstant) = (Self.half, .zero)
    let digits = Array("\(schedule)".utf8).suffix(Self.scheduleDigits)
    for place in 0..<Self.scheduleDigits {
      memory[schedulePlace + place] = place < digits.count ? digits[digits.startIndex + place] : 32
    }
    end = start
    put(Self.version.asciiValue!)
    put(mark, digits: 4)
    put(timingSeed.map { $0 + 1 } ?? 0, digits: 5)
  }

  func append(_ index: Int) {
    guard !isClosed, end < Self.half - 12 else { return }
    if index < 63 {
      put(Base64.alphabet[index])
    } else {
      put(Base64.alphabet[63])
      put(UInt32(index), digits: 3)
    }
  }

  /// Notes that a task runs within a step, at the chance of that number, counted since the latest choice.
  func append(withinStep number: Int32) {
    guard !isClosed, end < Self.half - 12 else { return }
    // `append(_:)` writes an index below 63 as one character, so zero in the long form is unused.
    put(Base64.alphabet[63])
    put(0, digits: 3)
    put(UInt32(number), digits: 3)
  }

  private func put(_ number: UInt32, digits: Int) {
    var rest = number
    for _ in 0..<digits {
      put(Base64.alphabet[Int(rest & 63)])
      rest >>= 6
    }
  }

  private func put(_ byte: UInt8) {
    sleepless_put_in_record(memory + end, CChar(byte))
    end += 1
  }

  // MARK: Reading

  static func replay(of text: String) throws(ReplayString.ParsingError) -> ReplayString {
    var values: [UInt32] = []
    for character in text.dropFirst() { values.append(try Base64.value(of: character)) }
    guard values.count >= 9 else { throw .damaged }
    func number(_ range: Range<Int>) -> UInt32 {
      range.reversed().reduce(0) { $0 << 6 | values[$1] }
    }
    let timingSeed = number(4..<9)
    var deviations: [Deviation] = []
    var (place, choice) = (9, 0)
    while place < values.count {
      var index = values[place]
      place += 1
      if index == 63 {
        guard place + 3 <= values.count else { break }  // the process ended while it wrote
        index = number(place..<(place + 3))
        place += 3
        if index == 0 {
          guard place + 3 <= values.count else { break }
          let chance = number(place..<(place + 3))
          place += 3
          deviations.append(Deviation(withinStep: Int32(chance), after: choice))
          continue
        }
      }
      deviations.append(Deviation(choice: choice, index: Int32(index), width: 0))
      choice += 1
    }
    return ReplayString(
      test: number(0..<4), timingSeed: timingSeed == 0 ? nil : timingSeed - 1,
      deviations: deviations,
      fingerprint: nil)
  }

  /// Takes what ended processes have left from explorations of this test, and removes their files. A record that
  /// says that the crash was in another schedule is no crash of this test.
  ///
  /// A record is not found while a process with the number of the ended one runs, nor in such a process
  /// itself.
  static func takeLeftovers(mark: UInt32, in folder: String = CrashRecord.folder) -> [Crash] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var crashes: [Crash] = []
    for file in files where file.hasSuffix(".schedule") {
      guard let process = Int32(file.prefix { $0 != "-" }), process != getpid(),
        kill(process, 0) != 0, errno == ESRCH,
        let data = FileManager.default.contents(atPath: "\(folder)/\(file)")
      else { continue }
      let lines = data.prefix { $0 != 0 }.split(separator: 10)
      guard lines.count == 2 else {
        // It died before a schedule began, so there is nothing to tell the test.
        unlink("\(folder)/\(file)")
        continue
      }
      guard lines[1].dropFirst().starts(with: digits(mark, count: 4)) else { continue }
      unlink("\(folder)/\(file)")
      let text = String(decoding: lines[1], as: UTF8.self)
      let place = data.count == capacity ? data.last.map(Int.init) : nil
      guard place != sleepless_crash_elsewhere, (try? ReplayString(text)) != nil else {
        continue
      }
      let schedule = String(decoding: lines[0].suffix(scheduleDigits), as: UTF8.self)
      let steps = data.dropFirst(half).prefix { $0 != 0 }
      crashes.append(
        Crash(
          schedule: Int(schedule.prefix { $0 != " " }) ?? 0,
          isOutside: place == sleepless_crash_outside, replay: text,
          trace: ScheduleTrace(recorded: String(decoding: steps, as: UTF8.self))))
    }
    return crashes
  }
}

/// What is known of a process that died within a schedule.
package struct Crash: Sendable {
  /// The number of the schedule, counted from 1.
  package let schedule: Int
  /// Whether the thread that crashed ran no schedule.
  package let isOutside: Bool
  package let replay: String
  /// The tasks and the steps up to the crash, without effects other than creations, and without functions.
  package let trace: ScheduleTrace
}
