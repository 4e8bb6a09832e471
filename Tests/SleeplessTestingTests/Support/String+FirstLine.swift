extension String {
  var firstLine: String { String(prefix { $0 != "\n" }) }
}
