import Sleepless
import XCTest

extension XCTestCase {
  /// Fails at the end of the test if one of the objects is still alive, and says what holds it.
  ///
  /// ```swift
  /// func makeSUT() -> ProfileViewModel {
  ///   let model = ProfileViewModel(service: service)
  ///   assertMemoryDeallocation(in: model, service)
  ///   return model
  /// }
  /// ```
  ///
  /// Call it anywhere in the test or in `setUp`. It keeps nothing alive. The check runs after the test
  /// and its teardown blocks, before `tearDown()`. First the test's tasks come to rest. Then the check
  /// waits up to 10 s (see <doc:WaitingForEvents>) for the release of an object that something still
  /// holds, unless it is certain that nothing can release it. No object at all, nil, a value that is no
  /// object, and an object that is never freed fail the test at once, since nothing would be watched. Optionals,
  /// arrays, sets and tuples of objects are watched object by object. An object that several calls watch is one
  /// failure, and so are the watched objects of one retain cycle. It costs a lock and an unowned reference.
  public func assertMemoryDeallocation(
    in instances: Any?...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    MemoryWatch.watch(instances, in: "assertMemoryDeallocation(in:)", at: site)
  }
}

/// Fails at the end of a Swift Testing test if one of the objects is still alive, and says what holds
/// it.
///
/// The test or its suite needs the trait `.checkedAtEnd`, `.simulated` or `.explored`, which know the
/// end; without one it fails at once. Otherwise it works like the method of `XCTestCase`.
///
/// ```swift
/// @Test(.checkedAtEnd) func `a profile loads`() async {
///   let model = ProfileViewModel(service: service)
///   assertMemoryDeallocation(in: model)
///   await model.load()
/// }
/// ```
public func assertMemoryDeallocation(
  in instances: Any?...,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  MemoryWatch.watch(instances, in: "assertMemoryDeallocation(in:)", at: site)
}

/// Watches an object that a factory has made, and returns it; it must be released when the test ends.
///
/// ```swift
/// func makeSUT() -> ProfileViewModel {
///   trackMemory(of: ProfileViewModel(service: trackMemory(of: ServiceMock())))
/// }
/// ```
///
/// For XCTest and Swift Testing alike; otherwise like `assertMemoryDeallocation(in:)`. Pass the call
/// site on if the failure should point at the factory's caller.
@discardableResult
public func trackMemory<Object>(
  of object: Object,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) -> Object {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  MemoryWatch.watch([object], in: "trackMemory(of:)", at: site)
  return object
}
