import Benchmark

let benchmarks: @Sendable () -> Void = {
  oneShots(1_000, "1k")
  oneShots(16_000, "16k")
  oneShots(1_000_000, "1M", atMost: .seconds(10))
  cancelling(16_000)
  timers(1_000, ticks: 100, "1000 timers x 100 ticks")
  timers(1, ticks: 100_000, "1 timer x 100k ticks")
}
