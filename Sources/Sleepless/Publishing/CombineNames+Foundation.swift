#if !canImport(Combine) && CombineNames
  import Foundation

  // What Foundation has where there is Combine.

  extension NotificationCenter {
    /// Publishes the notifications with a name, of all senders or of one.
    ///
    /// The subscribers of one publisher share an observer. They get each notification in the order in which they
    /// subscribed, on the posting thread; if two threads post at once, one of them delivers both. Foundation decides
    /// the order among several publishers. The last subscription that ends removes the observer.
    ///
    /// ```swift
    /// let (center, saved) = (NotificationCenter(), Notification.Name("saved"))
    /// let token = center.publisher(for: saved).sink { print($0.userInfo?["title"] ?? "untitled") }
    /// center.post(name: saved, object: nil, userInfo: ["title": "Draft"])  // prints Draft
    /// center.post(name: saved, object: nil)  // prints untitled
    /// center.post(name: Notification.Name("closed"), object: nil)  // prints nothing
    /// ```
    public func publisher(
      for name: Notification.Name, object: AnyObject? = nil
    ) -> ErasedPublisher<PostedNotification, Never> {
      nonisolated(unsafe) let object = object  // passed on to the center and not used otherwise
      return ErasedPublisher { _, receiveValue in
        nonisolated(unsafe) let observer = self.addObserver(
          forName: name, object: object, queue: nil
        ) { receiveValue(PostedNotification(notification: $0)) }
        return SubscriptionToken { self.removeObserver(observer) }
      }.share()
    }
  }

  /// A notification with the members of Foundation's `Notification`, which is not `Sendable`.
  ///
  /// Unchecked: a notification does not change, and the poster gives its object and its user info to observers on
  /// all threads.
  @dynamicMemberLookup
  public struct PostedNotification: @unchecked Sendable {
    /// Foundation's notification.
    public let notification: Notification

    /// A member of the notification.
    ///
    /// ```swift
    /// let (center, saved) = (NotificationCenter(), Notification.Name("saved"))
    /// let token = center.publisher(for: saved).sink { print($0.userInfo?["title"] ?? "untitled") }
    /// center.post(name: saved, object: nil, userInfo: ["title": "Draft"])  // prints Draft
    /// center.post(name: saved, object: nil)  // prints untitled
    /// center.post(name: Notification.Name("closed"), object: nil)  // prints nothing
    /// ```
    public subscript<Value>(dynamicMember member: KeyPath<Notification, Value>) -> Value {
      notification[keyPath: member]
    }
  }

  extension Timer {
    /// Publishes the date at every interval of a number of seconds, when it is connected.
    ///
    /// It follows real time, in the common modes of the run loop. For virtual time, take the scheduler as a parameter
    /// and write ``SchedulerType/timer(every:tolerance:label:fileID:filePath:line:column:)``. An interval of zero or
    /// less stops the program at the first subscription.
    ///
    /// ```swift
    /// let ticks = Timer.publish(every: 1, on: .main, in: .common).autoconnect()
    /// let token = ticks.sink { _ in print("tick") }
    /// try await Task.sleep(for: .milliseconds(2500))  // prints tick twice
    /// token.cancel()
    /// ```
    public static func publish(
      every interval: TimeInterval, tolerance: TimeInterval? = nil,
      on runLoop: RunLoop, in mode: RunLoop.Mode,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) -> TimerPublisher {
      TimerPublisher(
        dates: runLoop.scheduler.timer(
          every: Duration(clampingSeconds: interval),
          tolerance: Duration(clampingSeconds: tolerance ?? 0),
          fileID: fileID, filePath: filePath, line: line, column: column
        ).map { _ in Date() })
    }

    /// What `Timer.publish` returns. It sends nothing by itself.
    public struct TimerPublisher: Sendable {
      fileprivate let dates: ErasedPublisher<Date, Never>

      /// A publisher that starts the timer with its first subscriber and ends it with its last.
      ///
      /// ```swift
      /// let ticks = Timer.publish(every: 1, on: .main, in: .common).autoconnect()
      /// let token = ticks.sink { _ in print("tick") }
      /// try await Task.sleep(for: .milliseconds(2500))  // prints tick twice
      /// token.cancel()
      /// ```
      public func autoconnect() -> ErasedPublisher<Date, Never> { dates.share() }
    }
  }
#endif
