#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  extension HeapWalk {
    /// Whether a word of unknown content on a path leads to an object whose references all have other, certain holders.
    ///
    /// Then the path cannot be right. Memory may contain the address of an object that has been there before.
    func isRefuted(_ path: [sleepless_step]) -> Bool {
      certainHolders(besides: path).contains { held, others in
        let count = Int(sleepless_strong_count(held))
        return others.isComplete && count > 0 && others.holders.count >= count
      }
    }

    /// Whether an object that a word of unknown content on a path leads to has another holder, which is certain.
    func hasOtherHolder(_ path: [sleepless_step]) -> Bool {
      certainHolders(besides: path).contains { !$1.holders.isEmpty }
    }

    /// For each object that a word of unknown content on a path leads to: its other holders.
    private func certainHolders(
      besides path: [sleepless_step]
    ) -> [(held: UInt, others: (holders: Set<UInt>, isComplete: Bool))] {
      let guesses = path.filter { $0.is_guess && HeapObject($0.held) != nil }
      guard !guesses.isEmpty else { return [] }
      let (holders, isComplete) = holders(of: guesses.map(\.held))
      return guesses.map { guess in
        let others = holders.lazy.filter {
          !$0.is_guess && $0.held == guess.held && $0.holder != guess.holder
        }
        return (guess.held, (Set(others.map(\.holder)), isComplete))
      }
    }
  }
#endif
