import CHeapWalk

/// Copies this process's memory to a place, or returns false where there is none; only for what a search
/// calls, since it shares the search's copies.
package let readCopiedMemory: @convention(c) (UInt, UnsafeMutableRawPointer?, Int) -> Bool =
  sleepless_read
