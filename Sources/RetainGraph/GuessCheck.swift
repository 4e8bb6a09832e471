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
          && withoutUnfinished(others.holders).count >= count
      }
    }

    /// Without the arrays that no other object holds: code may be about to fill them.
    ///
    /// The memory of an array literal has its count before it has its elements, for as long as their expressions take.
    /// Until then it has what was there before.
    private func withoutUnfinished(_ holders: Set<UInt>) -> Set<UInt> {
      let arrays = holders.filter {
        if case .array = HeapObject($0)?.kind { true } else { false }
      }
      guard !arrays.isEmpty else { return holders }
      let held = self.holders(of: Array(arrays)).steps.lazy.map(\.held)
      return holders.subtracting(arrays).union(held)
    }

    /// Whether an object that a word of unknown content on a path leads to has another holder, which is certain. Nil if
    /// none was found before the search for holders gave up.
    func hasOtherHolder(_ path: [sleepless_step]) -> Bool? {
      let all = certainHolders(besides: path)
      if all.contains(where: { !$1.holders.isEmpty }) { return true }
      return all.allSatisfy(\.others.isComplete) ? false : nil
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
