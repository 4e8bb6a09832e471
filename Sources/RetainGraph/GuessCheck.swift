#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  extension HeapWalk {
    /// Whether a guess on a path is wrong: other, certain holders have all references to its object. Nil if the search
    /// for them gave up before it had found as many.
    ///
    /// Memory may contain the address of an object that has been there before.
    func isRefuted(_ path: [sleepless_step]) -> Bool? {
      let all = certainHolders(besides: path)
      let isRefuted = all.contains { held, others in
        let count = Int(sleepless_strong_count(held))
        return count > 0 && others.holders.count >= count
          && withoutUnfinished(others.holders).count >= count
      }
      if isRefuted { return true }
      return all.allSatisfy(\.others.isComplete) ? false : nil
    }

    /// Without the arrays that have no certain holder: code may be about to fill them.
    ///
    /// The memory of an array literal has its count before it has its elements, for as long as their expressions take.
    /// Until then it has what was there before.
    private func withoutUnfinished(_ holders: Set<UInt>) -> Set<UInt> {
      let arrays = holders.filter {
        if case .array = HeapObject($0)?.kind { true } else { false }
      }
      guard !arrays.isEmpty else { return holders }
      let held = self.holders(of: Array(arrays)).steps.lazy.filter { !$0.is_guess }.map(\.held)
      return holders.subtracting(arrays).union(held)
    }

    /// Whether the object of a guess on a path has another, certain holder. Nil if none was found before the search for
    /// holders gave up.
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
      let objects = guesses.map(\.held)
      let (holders, isComplete) = holders(of: objects, upTo: Self.limit(for: objects))
      return guesses.map { guess in
        let others = holders.lazy.filter {
          !$0.is_guess && $0.held == guess.held && $0.holder != guess.holder
        }
        return (guess.held, (Set(others.map(\.holder)), isComplete))
      }
    }
  }
#endif
