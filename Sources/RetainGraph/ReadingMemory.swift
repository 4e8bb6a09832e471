import CHeapWalk

/// Copies this process's memory; returns false if it is not readable.
package let readMemory: @convention(c) (UInt, UnsafeMutableRawPointer?, Int) -> Bool =
  sleepless_read_now

/// The same during a search, from the search's copies.
package let readCopiedMemory: @convention(c) (UInt, UnsafeMutableRawPointer?, Int) -> Bool =
  sleepless_read
