/// Several strategies in turn: what one hardly ever finds, another finds at once.
final class Portfolio: Strategy {
  private let members: [any Strategy]
  private var turn = -1

  init(_ members: [any Strategy]) { self.members = members }

  /// The default. The first schedule is the one that runs without exploration.
  static func standard() -> Portfolio {
    Portfolio([
      Uniform(), PriorityChanges(depth: 3), PartialOrderSampling(), RemainingWork(),
      DelayBounded(delays: 3), PriorityChanges(depth: 10, isDepthDrawn: true),
    ])
  }

  var name: String { members[max(turn, 0)].name }

  func begin(seed: UInt64, experience: Experience) {
    turn = (turn + 1) % members.count
    members[turn].begin(seed: seed, experience: experience)
  }

  func made(_ task: Int32, by creator: Int32, in scene: borrowing Scene) {
    members[turn].made(task, by: creator, in: scene)
  }

  func choose(among runnable: ContiguousArray<Runnable>, in scene: borrowing Scene) -> Int {
    members[turn].choose(among: runnable, in: scene)
  }

  func end() { members[turn].end() }
}
