import Testing

/// The suites that run the leaks of the catalogue: one after another, because some leaks use static variables.
@Suite(.serialized) enum LeakSuites {}
