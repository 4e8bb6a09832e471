#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  extension HeapWalk {
    /// Whether a path begins with less than is known: an object on it has another holder, which is certain.
    ///
    /// Memory of unknown content may contain the address of an object that has been there before. So such a word tells
    /// something only of an object without any other holder.
    func isRefuted(_ path: [sleepless_step]) -> Bool {
      let guesses = path.filter { $0.is_guess && HeapObject($0.held) != nil }
      guard !guesses.isEmpty else { return false }
      let holders = holders(of: guesses.map(\.held)).steps.filter { !$0.is_guess }
      return guesses.contains { guess in
        holders.contains { $0.held == guess.held && $0.holder != guess.holder }
      }
    }
  }
#endif
