#if !canImport(Combine)
  import Foundation
  import Sleepless
  import Testing
  import TestSupport

  @Suite struct NotificationPublisherTests {
    let center = NotificationCenter()
    let name = Notification.Name("didChange")
    let log = Log<String>()

    private func post(_ text: String) {
      center.post(name: name, object: nil, userInfo: ["text": text])
    }

    private func texts(object: AnyObject? = nil) -> ErasedPublisher<String, Never> {
      center.publisher(for: name, object: object)
        .compactMap { $0.userInfo?["text"] as? String }
    }

    @Test func `P1 a publisher of notifications sends those of its name, to all subscribers`() {
      let publisher = texts()
      let tokens = (0..<9).map { publisher.sink(into: log, as: "\($0)") }
      post("a")
      center.post(name: Notification.Name("other"), object: nil)
      post("b")
      #expect(log.values == ["a", "b"].flatMap { text in (0..<9).map { "\($0)\(text)" } })
      withExtendedLifetime(tokens) {}
    }

    @Test func `a notification has the members of Foundation's`() {
      let sender = NSObject()
      let isSender = Log<Bool>()
      let token = center.publisher(for: name).sink {
        isSender.append($0.object as? NSObject === sender)
        log.append(
          "\($0.name.rawValue) \($0.userInfo?.count ?? 0) \($0.notification.name.rawValue)")
      }
      center.post(name: name, object: sender)
      #expect(isSender.values == [true])
      #expect(log.values == ["didChange 0 didChange"])
      withExtendedLifetime(token) {}
    }

    @Test func `a publisher of notifications may be for one sender`() {
      let senders = [NSObject(), NSObject()]
      let token = center.publisher(for: name, object: senders[1]).sink {
        log.append($0.object as? NSObject === senders[1] ? "right" : "wrong")
      }
      for sender in senders { center.post(name: name, object: sender) }
      #expect(log.values == ["right"])
      withExtendedLifetime(token) {}
    }

    @Test func `P2 a notification posted in a callback comes after the one in flight`() {
      let publisher = texts()
      let first = publisher.sink(into: log, as: "0") { if $0 == "a" { post("b") } }
      let second = publisher.sink(into: log, as: "1")
      post("a")
      #expect(log.values == ["0a", "1a", "0b", "1b"])
      withExtendedLifetime((first, second)) {}
    }

    @Test func `P4 P6 a subscription that has ended gets nothing and retains no sender`() {
      let released = Log<Int>()
      var sender: Probe? = Probe { released.append(1) }
      func subscribe() -> [SubscriptionToken] {
        let publisher = texts(object: sender)
        return (0..<2).map { publisher.sink(into: log, as: "\($0)") }
      }
      let tokens = subscribe()
      center.post(name: name, object: sender, userInfo: ["text": "a"])
      tokens[0].cancel()
      center.post(name: name, object: sender, userInfo: ["text": "b"])
      tokens[1].cancel()
      center.post(name: name, object: sender, userInfo: ["text": "c"])
      #expect(log.values == ["0a", "1a", "1b"])
      sender = nil
      #expect(released.values == [1])
      withExtendedLifetime(tokens) {}
    }

    @Test func `P4 a callback of a notification may cancel and subscribe`() {
      let publisher = texts()
      let tokens = Log<SubscriptionToken>()
      tokens.append(
        publisher.sink(into: log, as: "0") { _ in
          tokens.append(publisher.sink(into: log, as: "1"))
          tokens.values[0].cancel()
        })
      post("a")
      post("b")
      #expect(log.values == ["0a", "1b"])
    }
  }
#endif
