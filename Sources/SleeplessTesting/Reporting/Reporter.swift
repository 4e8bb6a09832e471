import Sleepless

/// The single door from a helper to the test framework.
package final class Reporter: Sendable {
  /// Where the helper was made.
  package let site: CallSite

  package init(at site: CallSite) { self.site = site }

  /// Fails the test that made the helper, at `site` or, if nil, at the helper's own line.
  package func fail(_ message: String, at site: CallSite? = nil) {}
}
