#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
  import Sleepless
#endif

/// Identifies the thread that calls it, for as long as that thread lives. Only for synchronous functions: an
/// optimised asynchronous function may keep the value while it changes threads.
package func currentThreadID() -> UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}
