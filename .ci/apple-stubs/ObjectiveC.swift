// ObjectiveC's functions, for Swift that is compiled without Objective-C. Its classes: Foundation.swift.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
