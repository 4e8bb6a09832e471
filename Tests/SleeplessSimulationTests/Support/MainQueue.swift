import Dispatch

/// Whether the calling code runs on the main queue. Dispatch's own check would stop the program.
func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainMark) == true }

private let mainMark: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()
