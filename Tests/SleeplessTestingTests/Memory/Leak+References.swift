import Foundation
import SleeplessTesting

// Objects that hold each other directly.

private final class Parent {
  var child: Child?
}
private final class Child {
  var parent: Parent?
  weak var weakParent: Parent?
}

private protocol PresenterDelegate: AnyObject {}
private final class Stage: PresenterDelegate {
  let presenter = Presenter()
}
private final class Presenter {
  var delegate: (any PresenterDelegate)?
  weak var weakDelegate: (any PresenterDelegate)?
}

private final class Wheel {
  var next: Wheel?
  unowned var hub: Wheel?
}

private final class Holder<Content> {
  var content: Content?
  weak var owner: AnyObject?
}
private final class Sheet {
  let holder = Holder<Sheet>()
}

private class BaseController {
  var coordinator: Coordinator?
}
private final class DetailController: BaseController {}
private final class Coordinator {
  var current: BaseController?
  weak var weakCurrent: BaseController?
}

private final class Reader {
  var other: Reader?
}

extension Leak {
  static let references = [
    Leak(
      "parent and child", at: #line + 3,
      reads: cycle("Parent", "Parent.child -> Child.parent -> Parent")
    ) {
      await expectDeallocated {
        let parent = Parent()
        parent.child = Child()
        parent.child?.parent = parent
        return parent
      }
    } healthy: {
      await expectDeallocated {
        let parent = Parent()
        parent.child = Child()
        parent.child?.weakParent = parent
        return parent
      }
    },
    Leak(
      "a strong delegate", at: #line + 3,
      reads: cycle("Stage", "Stage.presenter -> Presenter.delegate -> Stage")
    ) {
      await expectDeallocated {
        let screen = Stage()
        screen.presenter.delegate = screen
        return screen
      }
    } healthy: {
      await expectDeallocated {
        let screen = Stage()
        screen.presenter.weakDelegate = screen
        return screen
      }
    },
    Leak(
      "a cycle of five", at: #line + 4,
      reads: cycle(
        "Wheel", "Wheel.next -> Wheel.next -> Wheel.next -> Wheel.next -> Wheel.next -> Wheel")
    ) {
      await expectDeallocated {
        let wheels = (0..<5).map { _ in Wheel() }
        for index in 0..<5 { wheels[index].next = wheels[(index + 1) % 5] }
        return wheels[0]
      }
    } healthy: {
      await expectDeallocated {
        let wheels = (0..<5).map { _ in Wheel() }
        for index in 0..<4 { wheels[index].next = wheels[index + 1] }
        wheels[4].hub = wheels[0]
        return wheels[0]
      }
    },
    Leak(
      "an object that holds itself", at: #line + 3,
      reads: cycle("Wheel", "Wheel.next -> Wheel")
    ) {
      await expectDeallocated {
        let wheel = Wheel()
        wheel.next = wheel
        return wheel
      }
    } healthy: {
      await expectDeallocated {
        let wheel = Wheel()
        wheel.hub = wheel
        return wheel
      }
    },
    Leak(
      "a generic class", at: #line + 3,
      reads: cycle("Sheet", "Sheet.holder -> Holder<Sheet>.content -> Sheet")
    ) {
      await expectDeallocated {
        let sheet = Sheet()
        sheet.holder.content = sheet
        return sheet
      }
    } healthy: {
      await expectDeallocated {
        let sheet = Sheet()
        sheet.holder.owner = sheet
        return sheet
      }
    },
    Leak(
      "an inherited property", at: #line + 5,
      reads: cycle(
        "DetailController",
        "DetailController.coordinator -> Coordinator.current -> DetailController")
    ) {
      await expectDeallocated {
        let controller = DetailController()
        controller.coordinator = Coordinator()
        controller.coordinator?.current = controller
        return controller
      }
    } healthy: {
      await expectDeallocated {
        let controller = DetailController()
        controller.coordinator = Coordinator()
        controller.coordinator?.weakCurrent = controller
        return controller
      }
    },
    Leak(
      "made on another thread", at: #line + 3,
      reads: cycle("Reader", "Reader.other -> Reader.other -> Reader")
    ) {
      await expectDeallocated {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            let readers = (Reader(), Reader())
            readers.0.other = readers.1
            readers.1.other = readers.0
            continuation.resume(returning: Moved(readers.0))
          }
        }.object
      }
    } healthy: {
      await expectDeallocated {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            let reader = Reader()
            reader.other = Reader()
            continuation.resume(returning: Moved(reader))
          }
        }.object
      }
    },
  ]
}

/// Hands an object from one thread to another that uses it alone.
private struct Moved<Object>: @unchecked Sendable {
  let object: Object
  init(_ object: Object) { self.object = object }
}
