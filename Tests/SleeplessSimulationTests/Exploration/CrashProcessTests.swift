import CRuntimeHooks
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

#if os(Linux) && (arch(x86_64) || arch(arm64))
  @Suite(.oneProcess) struct CrashProcessTests {
    @Test func `a breakpoint ends a program whose crashes are watched`() async {
      await #expect(processExitsWith: .signal(SIGTRAP)) {
        let text = strdup("a test\na string\n")!
        _ = sleepless_watch_crashes(text, strlen(text))
        hitBreakpoint()
      }
    }

    @Test func `a crash before the first schedule prints no replay string`() async {
      let result = await #expect(
        processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]
      ) {
        let explorer = Explorer(
          ExplorationPlan(name: "a test", schedules: 1, strategy: .portfolio, seed: 0))
        withExtendedLifetime(explorer) { abort() }
      }
      let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(!errors.contains("Sleepless"), "\(errors)")
    }

    @Test func `a record ends with a zero at each moment, whatever an earlier schedule has left`() {
      var record = Array("abcdef\0".utf8CString)
      record.withUnsafeMutableBufferPointer { record in
        sleepless_put_in_record(record.baseAddress! + 2, CChar(bitPattern: UInt8(ascii: "X")))
      }
      #expect(String(decoding: record.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) == "abX")
    }

    @Test func `a record that is closed while a crash is handled keeps its memory`() async {
      await #expect(processExitsWith: .exitCode(42)) {
        // Our handler calls the one that was installed before it.
        signal(SIGABRT) { _ in _exit(sleepless_unwatch_crashes(1) ? 1 : 42) }
        let text = strdup("a test\na string\n")!
        _ = sleepless_watch_crashes(text, strlen(text))
        abort()
      }
    }
  }

  /// Runs a breakpoint instruction and a return, for which Swift has no function.
  private func hitBreakpoint() {
    #if arch(x86_64)
      let code: [UInt8] = [0xcc, 0xc3]
    #else
      let code: [UInt8] = [0x00, 0x00, 0x20, 0xd4, 0xc0, 0x03, 0x5f, 0xd6]
    #endif
    let page = mmap(
      nil, code.count, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    page.copyMemory(from: code, byteCount: code.count)
    unsafeBitCast(page, to: (@convention(c) () -> Void).self)()
  }
#endif
