/// A part of the tour.
@MainActor
protocol Chapter {
  var title: String { get }

  /// Runs the chapter's code and returns the lines to print.
  func run(showing progress: ProgressLine) async -> [String]
}
