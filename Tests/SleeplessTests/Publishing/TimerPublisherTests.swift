#if !canImport(Combine)
  import Foundation
  import Sleepless
  import Testing
  import TestSupport

  @Suite(.timeLimit(.minutes(10))) struct TimerPublisherTests {
    let log = Log<String>()

    @Test func `P1 Timer publish sends dates in the run loop, to all subscribers`() async {
      let start = Date()
      let dates = Log<Date>()
      let values = await onThread { [log] in
        let timer = Timer.publish(every: 0.001, on: .current, in: .common).autoconnect()
        let tokens = ["a", "b"].map { name in
          timer.sink {
            dates.append($0)
            log.append(name)
          }
        }
        while log.values.count < 6 {
          _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        }
        withExtendedLifetime(tokens) {}
        return log.values
      }
      #expect(values.prefix(6) == ["a", "b", "a", "b", "a", "b"])
      // One timer for both: each date goes to the first subscriber and then to the second.
      #expect(dates.values[0] == dates.values[1] && dates.values[2] == dates.values[3])
      #expect(dates.values[1] < dates.values[2])
      #expect(dates.values.allSatisfy { $0 >= start.addingTimeInterval(0.001) })
    }

    @Test func `P4 P6 the last subscriber of Timer publish that leaves ends the timer`() async {
      let values = await onThread { [log] in
        let tokens = Log<SubscriptionToken>()
        func start() {
          let timer = Timer.publish(every: 0.001, tolerance: 0, on: .current, in: .default)
            .autoconnect()
          let probe = Probe { log.append("released") }
          tokens.append(timer.sink { _ in log.append("a") })
          tokens.append(
            timer.sink { _ in
              probe.touch()
              log.append("b")
              tokens.values[1].cancel()
            })
        }
        start()
        tokens.values[0].cancel()
        while log.values.isEmpty { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        RunLoop.current.scheduler.schedule(after: .milliseconds(2)) { log.append("later") }
        while log.values.last != "later" {
          _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        }
        return log.values
      }
      #expect(values == ["b", "released", "later"])
    }
  }
#endif
