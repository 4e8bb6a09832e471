/// One thing that the tour shows.
@MainActor
protocol Chapter {
  var title: String { get }

  /// Does what the chapter is about and returns what there is to read.
  func tell(showing progress: ProgressLine) async -> [String]
}
