/// Decides which event of a subject goes to whom, and when; it calls nobody itself.
///
/// Whoever sends while nothing is being delivered becomes the one who delivers, and goes on until
/// nothing waits. Whoever sends meanwhile, from within a callback or on another thread, leaves the
/// event in the queue and returns. So there is one order for all, callbacks never run at once, and
/// nested sends need no stack.
///
/// Sends and subscriptions share one numbering: an event is for those who subscribed before it.
struct Broadcast<Output: Sendable, Failure: Error> {
  /// Who is to get an event: the first `count` of the members.
  struct Recipients {
    let members: ContiguousArray<Subscriber<Output, Failure>?>
    let count: Int
  }

  private var roster = Roster<Subscriber<Output, Failure>>()
  private var waiting = Fifo<(number: UInt64, event: PublisherEvent<Output, Failure>)>()
  private var latestNumber: UInt64 = 0
  private var isDelivering = false
  /// Set when the end was accepted. From then on nothing else is, but what waits is still delivered.
  private(set) var completion: PublisherCompletion<Failure>?

  /// How many subscribe.
  var count: Int { roster.count }

  // MARK: Sending

  /// Accepts a value. The sender must deliver it to those returned and then call `next` until that
  /// returns nil; if nobody is returned, the event waits or was dropped.
  mutating func accept(_ value: Output) -> Recipients? {
    guard completion == nil else { return nil }
    return admit { .value(value) }
  }

  /// Accepts the end, as `accept(_:)` does a value.
  mutating func accept(_ completion: PublisherCompletion<Failure>) -> Recipients? {
    guard self.completion == nil else { return nil }
    self.completion = completion
    return admit { .completion(completion) }
  }

  private mutating func admit(_ event: () -> PublisherEvent<Output, Failure>) -> Recipients? {
    latestNumber += 1
    guard !isDelivering else {
      waiting.append((latestNumber, event()))
      return nil
    }
    isDelivering = true
    return Recipients(members: roster.members, count: roster.members.count)
  }

  /// Returns what to deliver next; nil, and somebody else may deliver, if nothing waits.
  mutating func next() -> (Recipients, PublisherEvent<Output, Failure>)? {
    guard let (number, event) = waiting.popFirst() else {
      isDelivering = false
      return nil
    }
    return (Recipients(members: roster.members, count: roster.index(of: number)), event)
  }

  // MARK: Subscribing

  /// Adds a subscriber and returns the number under which it can leave.
  mutating func join(_ subscriber: Subscriber<Output, Failure>) -> UInt64 {
    latestNumber += 1
    roster.join(subscriber, as: latestNumber)
    return latestNumber
  }

  mutating func leave(_ number: UInt64) -> Subscriber<Output, Failure>? { roster.leave(number) }

  /// Lets go of everybody, after the end was delivered.
  mutating func disband() -> Roster<Subscriber<Output, Failure>> {
    let roster = roster
    self.roster = Roster()
    return roster
  }

  /// Makes the caller the one who delivers, unless somebody is; it must then call `next` as senders
  /// do.
  mutating func startDelivering() -> Bool {
    guard !isDelivering else { return false }
    isDelivering = true
    return true
  }
}
