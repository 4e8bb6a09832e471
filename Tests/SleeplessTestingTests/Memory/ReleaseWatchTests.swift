import Dispatch
import Sleepless
import SleeplessTesting
import Testing

@Suite struct ReleaseWatchTests {
  @Test func `without news of releases the main queue looks for them`() async {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let looks = Locked<[Bool]>([])
    await ReleaseWatch(tellsEnds: false).wait(
      until: {
        looks.withLock { looks in
          looks.append(DispatchQueue.getSpecific(key: key) ?? false)
          return looks.count == 3
        }
      }, timeout: .seconds(600))
    #expect(looks.withLock { $0 } == [true, true, true])
  }
}
