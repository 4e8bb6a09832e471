/// Runs the logic of an operator for one subscriber.
///
/// The handler gets inputs one at a time, in the order in which they came, from any thread. An input
/// that comes during the handling of another one waits, so nesting needs no stack. When the operator
/// ends or is cancelled, it cancels its upstream subscriptions and its scheduled work, and releases its
/// closures with their captures.
///
/// Upstream subscriptions and scheduled work retain this object; the subscriber's token does not.
final class OperatorSubscription<Input: Sendable, Output: Sendable, Failure: Error>: CancellableType
{
  typealias Handler = @Sendable (OperatorSubscription, Input) -> Void

  /// The operator's handler and the subscriber's closures.
  private final class Calls: Sendable {
    let handle: Handler
    let receiveCompletion: @Sendable (PublisherCompletion<Failure>) -> Void
    let receiveValue: @Sendable (Output) -> Void

    init(
      handle: @escaping Handler,
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
      receiveValue: @escaping @Sendable (Output) -> Void
    ) {
      self.handle = handle
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }
  }

  private let drain = SerialDrain()
  private let resources: Locked<OperatorResources?>

  init(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void,
    handle: @escaping Handler
  ) {
    resources = Locked(
      OperatorResources(
        calls: Calls(
          handle: handle, receiveCompletion: receiveCompletion, receiveValue: receiveValue)))
  }

  /// Ends the operator without a completion. It retains nothing afterwards.
  func cancel() { end() }

  /// The subscriber's token.
  var token: SubscriptionToken { SubscriptionToken { [weak self] in self?.cancel() } }

  /// Whether the operator has ended or was cancelled.
  var isOver: Bool { resources.withLock { $0 == nil } }

  /// Nil when the operator has ended.
  private var calls: Calls? { Self.calls(in: resources.withLock { $0?.calls }) }

  private static func calls(in object: (any AnyObject & Sendable)?) -> Calls? {
    object.map { unsafeDowncast($0, to: Calls.self) }
  }

  @discardableResult
  private func end() -> Calls? {
    var resources = resources.withLock { $0.take() }
    for token in resources?.upstream ?? [] { token.cancel() }
    for token in resources?.work.endAll() ?? [] { token.cancel() }
    return Self.calls(in: resources?.calls)
  }

  // MARK: Inputs

  func receive(_ input: Input) {
    guard drain.enter(or: { { self.handle(input) } }) else { return }
    handle(input)
    drain.leave()
  }

  private func handle(_ input: Input) { calls?.handle(self, input) }

  /// Subscribes to a publisher and keeps the subscription until the end. Its events become inputs.
  func subscribe<Upstream: PublisherType>(
    to upstream: Upstream,
    as input: @escaping @Sendable (PublisherEvent<Upstream.Output, Upstream.Failure>) -> Input
  ) {
    observe(upstream) { self.receive(input($0)) }
  }

  /// Subscribes to a publisher and keeps the subscription until the end. Its events go to a closure,
  /// which must retain this object.
  func observe<Upstream: PublisherType>(
    _ upstream: Upstream,
    by receive: @escaping @Sendable (PublisherEvent<Upstream.Output, Upstream.Failure>) -> Void
  ) {
    // A publisher that was subscribed to earlier may have ended the operator already.
    guard !isOver else { return }
    keep(
      upstream.subscribe(
        receiveCompletion: { receive(.completion($0)) }, receiveValue: { receive(.value($0)) }))
  }

  /// Keeps a subscription until the operator ends; cancels it at once if the operator has ended.
  func keep(_ token: SubscriptionToken) {
    let isOver = resources.withLock { resources in
      resources?.upstream.append(token)
      return resources == nil
    }
    if isOver { token.cancel() }
  }

  // MARK: Outputs, for the handler to call

  func send(_ value: Output) { calls?.receiveValue(value) }

  func send(_ completion: PublisherCompletion<Failure>) { end()?.receiveCompletion(completion) }

  // MARK: Scheduled work

  /// Schedules an input and returns a number for `cancelWork`.
  @discardableResult
  func schedule(
    _ input: @escaping @Sendable (Int) -> Input, after delay: Duration,
    on scheduler: any SchedulerType, label: String, at site: CallSite
  ) -> Int {
    perform(input) { work in
      scheduler.schedule(
        after: delay, tolerance: .zero, label: label, at: site, execute: work)
    }
  }

  /// Enqueues an input, as `async` does.
  func enqueue(
    _ input: @escaping @autoclosure @Sendable () -> Input, on queue: any DispatchQueueType,
    label: String, at site: CallSite
  ) {
    if let queue = queue as? any VirtualQueue {
      perform({ _ in input() }) { queue.enqueue(label, at: site, execute: $0) }
    } else {
      queue.async(
        fileID: site.fileID, filePath: site.filePath, line: site.line, column: site.column
      ) { self.receive(input()) }
    }
  }

  /// Cancels scheduled work, unless it has run.
  func cancelWork(_ number: Int) {
    let token = resources.withLock { $0?.work.end(number) }
    token??.cancel()
  }

  @discardableResult
  private func perform(
    _ input: @escaping @Sendable (Int) -> Input,
    by schedule: (@escaping @Sendable () -> Void) -> any CancellableType
  ) -> Int {
    guard let number = resources.withLock({ $0?.work.begin() }) else { return 0 }
    let token = schedule {
      // Either this work or a cancellation removes the number. The work runs only if it does so first.
      guard self.resources.withLock({ $0?.work.end(number) }) != nil else { return }
      self.receive(input(number))
    }
    let isKept = resources.withLock { $0?.work.keep(token, number) ?? false }
    if !isKept { token.cancel() }
    return number
  }
}

/// What an operator retains until its end. It is not generic, because each event takes its lock.
private struct OperatorResources {
  let calls: any AnyObject & Sendable
  var upstream: [SubscriptionToken] = []
  /// The scheduled work.
  var work = NumberedTokens()
}
