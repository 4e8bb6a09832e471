import Benchmark

let benchmarks: @Sendable () -> Void = {
  sending(to: 1, "send to 1 sink")
  sending(to: 10, "send to 10 sinks")
  transforming()
  settingState()
  subscribing()
  receiving(waiting: 1_000, "receive with 1k waiting")
  receiving(waiting: 100_000, "receive with 100k waiting")
}
