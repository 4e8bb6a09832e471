/// The number of rounds of a long test: all in release, as `.ci/run` looks for races; a tenth in
/// debug, where a developer waits for the result.
package func rounds(_ count: Int) -> Int {
  #if DEBUG
    count / 10
  #else
    count
  #endif
}
