#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One object per thread, made at the thread's first access and released when the thread ends.
package struct ThreadLocal<Object: AnyObject>: Sendable {
  private let key: pthread_key_t
  private let make: @Sendable () -> Object

  package init(_ make: @escaping @Sendable () -> Object) {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { pointer in
      let pointer: UnsafeMutableRawPointer? = pointer
      if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
    }
    guard status == 0 else { fatalError("The system has no thread-specific keys left.") }
    self.key = key
    self.make = make
  }

  package var value: Object {
    if let pointer = pthread_getspecific(key) {
      return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }
    let object = make()
    pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
    return object
  }
}
