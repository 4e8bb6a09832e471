import SleeplessTesting

// Closures that capture the object that holds them.

private final class Model {
  var onChange: () -> Void = {}
  var onError: ((any Error) -> Void)?
  var handle: (Int) -> Void = { _ in }
  var value = 0
  lazy var title: () -> String = { "\(self.value)" }
  lazy var safeTitle: () -> String = { [unowned self] in "\(value)" }
  func note(_ number: Int) { value = number }
}

private final class Tally {
  var increment: (() -> Void)?
  var name = "tally"
}

private final class Wizard {
  var step: (@Sendable () -> (() -> Void))?
  var page = 0
}

extension Leak {
  static let closures = [
    Leak(
      "a closure in a property", at: #line + 3,
      reads: cycle("Model", "Model.onChange -> closure capturing Model")
    ) {
      await expectDeallocated {
        let model = Model()
        model.onChange = { model.value += 1 }
        return model
      }
    } healthy: {
      await expectDeallocated {
        let model = Model()
        model.onChange = { [weak model] in model?.value += 1 }
        return model
      }
    },
    Leak(
      "an optional closure", at: #line + 3,
      reads: cycle("Model", "Model.onError -> closure capturing Model")
    ) {
      await expectDeallocated {
        let model = Model()
        model.onError = { _ in model.value = -1 }
        return model
      }
    } healthy: {
      await expectDeallocated {
        let model = Model()
        model.onError = { [unowned model] _ in model.value = -1 }
        return model
      }
    },
    Leak(
      "a method as a closure", at: #line + 3,
      reads: cycle("Model", "Model.handle -> closure capturing Model")
    ) {
      await expectDeallocated {
        let model = Model()
        model.handle = model.note
        return model
      }
    } healthy: {
      await expectDeallocated {
        let model = Model()
        model.handle = { [weak model] in model?.note($0) }
        return model
      }
    },
    Leak(
      "a lazy property", at: #line + 3,
      reads: cycle("Model", "Model.title -> closure capturing Model")
    ) {
      await expectDeallocated {
        let model = Model()
        _ = model.title()
        return model
      }
    } healthy: {
      await expectDeallocated {
        let model = Model()
        _ = model.safeTitle()
        return model
      }
    },
    Leak(
      "nested closures", at: #line + 3,
      reads: cycle("Wizard", "Wizard.step -> closure capturing Wizard")
    ) {
      await expectDeallocated {
        let wizard = Wizard()
        nonisolated(unsafe) let unsafeWizard = wizard
        let inner: @Sendable () -> Void = { unsafeWizard.page += 1 }
        wizard.step = { { inner() } }
        return wizard
      }
    } healthy: {
      await expectDeallocated {
        let wizard = Wizard()
        nonisolated(unsafe) weak let unsafeWizard = wizard
        let inner: @Sendable () -> Void = { unsafeWizard?.page += 1 }
        wizard.step = { { inner() } }
        return wizard
      }
    },
    Leak(
      "a variable that closures share", at: #line + 3,
      reads: cycle("Tally", "Tally.increment -> closure capturing Tally")
    ) {
      await expectDeallocated {
        var current: Tally? = Tally()
        let tally = current!
        tally.increment = { current?.name += "!" }
        tally.increment?()
        current = tally
        return tally
      }
    } healthy: {
      await expectDeallocated {
        var current: Tally? = Tally()
        let tally = current!
        tally.increment = { current?.name += "!" }
        tally.increment?()
        current = nil
        return tally
      }
    },
  ]
}
