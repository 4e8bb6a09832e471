import Benchmark

let benchmarks: @Sendable () -> Void = {
  sending(to: 1, "send to 1 sink")
  sending(to: 10, "send to 10 sinks")
  transforming()
  settingState()
  subscribing()
}
