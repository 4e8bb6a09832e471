import SleeplessTesting

// Objects held in arrays, dictionaries and sets.

private final class ProfileViewModel {
  let service: ProfileService
  var name = ""
  init(service: ProfileService) { self.service = service }
}
private final class ProfileService {
  var callbacks: [() -> Void] = []
}

private final class Bus {
  var handlers: [() -> Void] = []
  var count = 0
}

private final class Router {
  var routes: [String: () -> Void] = [:]
  var sections: [Int: [Router]] = [:]
  var visits = 0
}

private final class Tree: Hashable {
  var children: Set<Tree> = []
  var rows: [(title: String, tree: Tree?)] = []
  static func == (a: Tree, b: Tree) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private final class Deck {
  var cards: ArraySlice<Deck> = []
  var onShuffle: ReversedCollection<[() -> Void]>?
  var shuffles = 0
}

extension Leak {
  static let containers = [
    Leak(
      "a closure in another object's array", at: #line + 6,
      reads: cycle(
        "ProfileViewModel",
        "ProfileViewModel.service -> ProfileService.callbacks[1] -> closure capturing ProfileViewModel"
      )
    ) {
      await expectDeallocated {
        let model = ProfileViewModel(service: ProfileService())
        model.service.callbacks = [{}, { model.name = "Ada" }]
        return model
      }
    } healthy: {
      await expectDeallocated {
        let model = ProfileViewModel(service: ProfileService())
        model.service.callbacks = [{}, { [weak model] in model?.name = "Ada" }]
        return model
      }
    },
    Leak(
      "a closure in an array", at: #line + 3,
      reads: cycle("Bus", "Bus.handlers[2] -> closure capturing Bus")
    ) {
      await expectDeallocated {
        let bus = Bus()
        bus.handlers = [{}, {}]
        bus.handlers.append { bus.count += 1 }
        return bus
      }
    } healthy: {
      await expectDeallocated {
        let bus = Bus()
        bus.handlers = [{}, {}]
        bus.handlers.append { bus.count += 1 }
        bus.handlers.removeLast()
        return bus
      }
    },
    Leak(
      "a closure in a dictionary", at: #line + 3,
      reads: cycle("Router", "Router.routes[\"home\"] -> closure capturing Router")
    ) {
      await expectDeallocated {
        let router = Router()
        router.routes = ["about": {}, "home": { router.visits += 1 }]
        return router
      }
    } healthy: {
      await expectDeallocated {
        let router = Router()
        router.routes = ["about": {}, "home": { router.visits += 1 }]
        router.routes["home"] = nil
        return router
      }
    },
    Leak(
      "an array in a dictionary", at: #line + 3,
      reads: cycle("Router", "Router.sections[7][1] -> Router")
    ) {
      await expectDeallocated {
        let router = Router()
        router.sections[7] = [Router(), router]
        return router
      }
    } healthy: {
      await expectDeallocated {
        let router = Router()
        router.sections[7] = [Router(), Router()]
        return router
      }
    },
    Leak(
      "a set", at: #line + 3,
      reads: cycle("Tree", "Tree.children[member] -> Tree.children[member] -> Tree")
    ) {
      await expectDeallocated {
        let tree = Tree()
        let child = Tree()
        tree.children = [child]
        child.children = [tree]
        return tree
      }
    } healthy: {
      await expectDeallocated {
        let tree = Tree()
        tree.children = [Tree(), Tree()]
        return tree
      }
    },
    Leak(
      "a tuple in an array", at: #line + 3,
      reads: cycle("Tree", "Tree.rows[1].tree -> Tree")
    ) {
      await expectDeallocated {
        let tree = Tree()
        tree.rows = [("one", nil), ("two", tree)]
        return tree
      }
    } healthy: {
      await expectDeallocated {
        let tree = Tree()
        tree.rows = [("one", nil), ("two", Tree())]
        return tree
      }
    },
    Leak(
      "a slice of an array", at: #line + 3,
      reads: cycle("Deck", "Deck.cards[2] -> Deck")
    ) {
      await expectDeallocated {
        let deck = Deck()
        deck.cards = [Deck(), Deck(), deck, Deck()][1...]
        return deck
      }
    } healthy: {
      await expectDeallocated {
        let deck = Deck()
        deck.cards = [Deck(), Deck(), Deck()][1...]
        return deck
      }
    },
    Leak(
      "a closure in a reversed array", at: #line + 3,
      reads: cycle("Deck", "Deck.onShuffle[1] -> closure capturing Deck")
    ) {
      await expectDeallocated {
        let deck = Deck()
        deck.onShuffle = [{}, { deck.shuffles += 1 }].reversed()
        return deck
      }
    } healthy: {
      await expectDeallocated {
        let deck = Deck()
        deck.onShuffle = [{}, { [weak deck] in deck?.shuffles += 1 }].reversed()
        return deck
      }
    },
  ]
}
