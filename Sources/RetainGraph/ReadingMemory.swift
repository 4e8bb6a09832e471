import CHeapWalk

/// Copies this process's memory to a place, or returns false where there is none.
package let readMemory: @convention(c) (UInt, UnsafeMutableRawPointer?, Int) -> Bool =
  sleepless_read_now

/// The same for what a search calls, whose copies it shares.
package let readCopiedMemory: @convention(c) (UInt, UnsafeMutableRawPointer?, Int) -> Bool =
  sleepless_read
