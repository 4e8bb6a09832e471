import ExampleApp
import SleeplessTesting

/// A client of doubles. A structure of closures needs no mock of its own.
struct ArticleDoubles {
  let text = Stub<Int, String>("text")
  let markAsRead = Spy<Int>("markAsRead")
  let isSaved = Stub<Int, Bool>("isSaved", default: .value(false))

  var client: ArticleClient {
    ArticleClient(
      text: { [text] id in try await text(id) },
      markAsRead: { [markAsRead] id in markAsRead(id) },
      isSaved: { [isSaved] id in isSaved.now(id, orReturn: false) })
  }
}
