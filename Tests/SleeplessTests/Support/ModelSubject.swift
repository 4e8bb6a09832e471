/// The specification of a subject in the plainest code: a list of subscribers and a list of jobs.
final class ModelSubject: TestedSubject {
  private enum Job {
    case value(Int)
    case end(failed: Bool)
    case join(Int)
  }

  private(set) var value: Int?
  private var subscribers: [Int] = []
  private var tokens: Set<Int> = []
  private var cancelled: Set<Int> = []
  private var jobs: [Job] = []
  private var isBusy = false
  private var end: Bool?
  private var delivered: Bool?
  private var script: PublisherScript?

  init(hasValue: Bool) { value = hasValue ? 0 : nil }

  func send(_ value: Int) {
    guard end == nil else { return }
    if self.value != nil { self.value = value }
    perform(.value(value))
  }

  func end(_ failed: Bool) {
    guard end == nil else { return }
    end = failed
    perform(.end(failed: failed))
  }

  func subscribe(_ id: Int, in script: PublisherScript) {
    self.script = script
    // The caller has no token, and so cannot cancel, before this function returns.
    defer { tokens.insert(id) }
    guard let value, end == nil else { return perform(.join(id)) }
    // The current value comes at once, even during a delivery; its consequences come afterwards.
    let wasBusy = isBusy
    isBusy = true
    if wasBusy { jobs.append(.join(id)) } else { subscribers.append(id) }
    script.receive(id, value)
    if !wasBusy { work() }
  }

  func cancel(_ id: Int) {
    if tokens.contains(id) { cancelled.insert(id) }
  }

  private func perform(_ job: Job) {
    jobs.append(job)
    guard !isBusy else { return }
    isBusy = true
    work()
  }

  private func work() {
    while !jobs.isEmpty {
      switch jobs.removeFirst() {
      case .value(let value): deliver { $0.receive($1, value) }
      case .end(let failed):
        delivered = failed
        deliver { [self] in
          cancelled.insert($1)
          $0.receive($1, nil, failed: failed)
        }
        subscribers = []
      case .join(let id):
        guard !cancelled.contains(id) else { break }
        if let delivered {
          cancelled.insert(id)
          script?.receive(id, nil, failed: delivered)
        } else {
          subscribers.append(id)
        }
      }
    }
    isBusy = false
  }

  private func deliver(_ event: (PublisherScript, Int) -> Void) {
    guard let script else { return }
    for id in subscribers where !cancelled.contains(id) { event(script, id) }
  }
}
