#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  extension HeapWalk {
    /// Whether a path cannot be right, because a word of unknown content on it is no reference.
    ///
    /// Memory may contain the address of an object that has been there before. So the search counts the other holders
    /// of the object that such a word leads to. If they are as many as the runtime counts, the word is left over.
    func isRefuted(_ path: [sleepless_step]) -> Bool {
      certainHolders(besides: path).contains { held, others in
        let count = Int(sleepless_strong_count(held))
        return others.isComplete && count > 0 && others.holders.count >= count
      }
    }

    /// Whether an object that a word of unknown content on a path leads to has another holder, which is certain.
    func isDoubtful(_ path: [sleepless_step]) -> Bool {
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
