#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import CRuntimeHooks
  import Foundation
  import Sleepless
  import SleeplessSimulation

  /// What another process has noted of its waits before it ended.
  struct WaitLog {
    private let log: sleepless_wait_log
    /// What all processes of one `swift test` have in common.
    private(set) var runID = ""
    private var images: [(start: UInt, path: String, distance: UInt)] = []
    private var framework = MeasuredRun.Framework.xctest
    private var tests: [MeasuredRun.Test] = []
    /// The places of tests in `tests`, by their numbers.
    private var indices: [Int32: Int] = [:]

    init(_ log: sleepless_wait_log) {
      self.log = log
      let text = UnsafeRawBufferPointer(start: log.text, count: log.text_size)
      for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
        let fields = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
          .map(String.init)
        read(fields)
      }
      images.sort { $0.start < $1.start }
    }

    private mutating func read(_ fields: [String]) {
      guard let kind = fields.first, fields.count > 1 else { return }
      let rest = fields.dropFirst(2).joined(separator: " ")
      switch kind {
      case "P": runID = fields[1]
      case "I":
        guard let start = UInt(fields[1], radix: 16) else { return }
        let distance = sleepless_address_of_image(rest) &- start
        images.append((start, rest, distance))
      case "S":
        guard fields.count == 4, let time = Int64(fields[1]), let number = Int32(fields[2]) else {
          return
        }
        indices[number] = tests.count
        tests.append(
          MeasuredRun.Test(
            name: fields[3], file: "", line: 0, turns: [.init(from: .nanoseconds(time))]))
      case "R":
        guard fields.count > 2, let time = Int64(fields[1]) else { return }
        let index = Int32(fields[2]).flatMap { indices[$0] }
        if let index { tests[index].turns.append(.init(from: .nanoseconds(time))) }
      case "L":
        guard fields.count == 4, let index = Int32(fields[1]).flatMap({ indices[$0] }) else {
          return
        }
        framework = .swiftTesting
        (tests[index].file, tests[index].line) = (Self.relative(fields[3]), Int(fields[2]) ?? 0)
      case "E":
        guard fields.count > 2, let time = Int64(fields[1]) else { return }
        let index = Int32(fields[2]).flatMap { indices[$0] }
        if let index { tests[index].turns[tests[index].turns.count - 1].end = .nanoseconds(time) }
      default: break
      }
    }

    /// The run; nil if no test has started.
    func run() -> MeasuredRun? {
      guard !tests.isEmpty else { return nil }
      var tests = tests
      var waits: [MeasuredRun.Wait] = []
      var names = CallerNames()
      for wait in UnsafeBufferPointer(start: log.waits, count: log.wait_count) {
        add(wait, to: &waits, &tests, &names)
      }
      return MeasuredRun(
        framework, tests: tests, waits: waits, end: .nanoseconds(log.end), limits: limits)
    }

    private var limits: [String] {
      var limits: [String] = []
      if !log.has_tasks {
        limits.append("Sleeps of tasks were not measured: this process is not captured.")
      }
      if log.lost_count > 0 { limits.append("\(log.lost_count) more waits were not noted.") }
      return limits
    }

    private func add(
      _ record: sleepless_measured_wait, to waits: inout [MeasuredRun.Wait],
      _ tests: inout [MeasuredRun.Test], _ names: inout CallerNames
    ) {
      let isDelayed =
        record.kind == sleepless_wait_delayed_call.rawValue
        || record.kind == sleepless_wait_timer.rawValue
      guard let kind = Self.kinds[record.kind], !isDelayed || record.was_awaited != 0 else {
        return
      }
      let callers = names.callers(at: addresses(of: record))
      let test = indices[record.test]
      // The outermost of all is the program's main function.
      if let test, tests[test].file.isEmpty, tests[test].address == nil {
        tests[test].address = callers.last { tests[test].isIn($0.function) }?.address
      }
      // Without a function of the user's, it is a wait of a library, or of ours.
      guard let caller = callers.first else { return }
      waits.append(
        MeasuredRun.Wait(
          kind, at: MeasuredRun.Place(at: caller.address, function: caller.function),
          count: Int(record.count), from: .nanoseconds(record.start),
          to: record.end == 0 ? nil : .nanoseconds(record.end),
          waited: .nanoseconds(record.waited), test: test))
    }

    /// The file and the line of an address in this process.
    static func location(of address: UInt) -> (file: String, line: Int)? {
      guard let line = CodeFrame.ofUser(at: [address]).first?.line else { return nil }
      let (path, number) = originOfMacro(in: line.path) ?? (line.path, line.number)
      return (relative(path), number)
    }

    /// Where the macro stands whose expansion is in a file: that file's last line says so. Nil for other files.
    private static func originOfMacro(in path: String) -> (path: String, line: Int)? {
      guard path.contains("@__swiftmacro_"),
        let text = try? String(contentsOfFile: path, encoding: .utf8),
        let origin = text.matches(of: #/// original-source-range: (.+):(\d+):\d+-\d+:\d+/#).last
      else { return nil }
      return Int(origin.2).map { (String(origin.1), $0) }
    }

    /// The frames, as addresses in this process.
    private func addresses(of record: sleepless_measured_wait) -> [UInt] {
      withUnsafeBytes(of: record.frames) { bytes in
        bytes.bindMemory(to: UInt.self).prefix(Int(record.frame_count)).compactMap { address in
          let image = images.last { $0.start <= address }
          guard let image, image.distance != 0 &- image.start else { return nil }
          return address &+ image.distance
        }
      }
    }

    private static let kinds: [UInt32: MeasuredRun.Kind] = [
      sleepless_wait_task_sleep.rawValue: .taskSleep,
      sleepless_wait_thread_sleep.rawValue: .threadSleep,
      sleepless_wait_expectation.rawValue: .expectation,
      sleepless_wait_semaphore.rawValue: .semaphore,
      sleepless_wait_group.rawValue: .group,
      sleepless_wait_condition.rawValue: .condition,
      sleepless_wait_run_loop.rawValue: .runLoop,
      sleepless_wait_delayed_call.rawValue: .delayedCall,
      sleepless_wait_timer.rawValue: .timer,
      sleepless_wait_yield.rawValue: .yield,
    ]

    /// A path from the folder in which the tests ran, if it is in there.
    private static func relative(_ path: String) -> String {
      let folder = FileManager.default.currentDirectoryPath + "/"
      return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }
  }

  extension MeasuredRun.Test {
    /// Whether a function, or the one around it, is this test of XCTest.
    fileprivate func isIn(_ function: String) -> Bool {
      let outer = function.components(separatedBy: " in ").last ?? function
      return outer.hasPrefix(name.split(separator: ".").suffix(2).joined(separator: ".") + "(")
    }
  }
#endif
