import SleeplessSimulation

/// Every strategy that can reach every order, with a name for the test's output.
let namedStrategies: [(String, ExplorationStrategy)] = [
  ("portfolio", .portfolio), ("uniform", .uniform), ("pct", .pct(depth: 3)), ("pos", .pos),
  ("remaining work", .remainingWork), ("delays", .delayBounded(3)), ("woken first", .wokenFirst),
  ("exhaustive", .exhaustive),
]
