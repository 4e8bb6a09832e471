import Testing

@testable import FindWaits

@Suite struct ConditionalCompilationTests {
  @Test(arguments: [
    ("#if false\na\n#endif\nb", "b"),
    ("#if false\na\n#else\nb\n#endif", "b"),
    ("#if true\na\n#else\nb\n#endif", "a"),
    ("#if os(Linux)\na\n#else\nb\n#endif", "a b"),
    ("#if !true || false\na\n#endif\nb", "b"),
    ("#if os(Linux) && false\na\n#endif\nb", "b"),
    ("#if os(Linux) || true\na\n#else\nb\n#endif", "a"),
    ("#if (false)\na\n#elseif DEBUG\nb\n#else\nc\n#endif", "b c"),
    ("#if false\n#if DEBUG\na\n#else\nb\n#endif\n#endif\nc", "c"),
    ("#if DEBUG\n#if false\na\n#endif\nb\n#endif", "b"),
  ])
  func `a branch that no compiler takes is left out`(text: String, words: String) {
    let tokens = ConditionalCompilation.compiled(Lexer.tokens(of: Array(text.utf8)).tokens)
    #expect(tokens.map(\.text).joined(separator: " ") == words)
  }
}
