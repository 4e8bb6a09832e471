/// How often a test of many rounds goes round: as often as it says in release, which is how
/// `.ci/run` looks for races; in debug, where somebody waits for the result, a tenth of that.
package func rounds(_ count: Int) -> Int {
  #if DEBUG
    count / 10
  #else
    count
  #endif
}
