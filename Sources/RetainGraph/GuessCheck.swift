#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  extension HeapWalk {
    /// Whether a path cannot be right, because a word of unknown content on it is no reference.
    ///
    /// Memory may contain the address of an object that has been there before. So the search counts the other holders
    /// of the object that such a word leads to. If they are as many as the runtime counts, the word is left over.
    func isRefuted(_ path: [sleepless_step]) -> Bool {
      let guesses = path.filter { $0.is_guess && HeapObject($0.held) != nil }
      guard !guesses.isEmpty else { return false }
      let (holders, isComplete) = holders(of: guesses.map(\.held))
      guard isComplete else { return false }
      return guesses.contains { guess in
        let count = Int(sleepless_strong_count(guess.held))
        let others = holders.lazy.filter {
          !$0.is_guess && $0.held == guess.held && $0.holder != guess.holder
        }
        return count > 0 && Set(others.map(\.holder)).count >= count
      }
    }
  }
#endif
