extension SchedulePage {
  /// The number of colours; with more tasks they are used again.
  static let colorCount = 8

  /// With up to this many lanes, and a wide screen, the texts are inside the lanes.
  private static let wideLaneLimit = 7

  /// Every colour has a contrast of at least 4.5 to its background. The text says everything that a colour
  /// means.
  private static let light = [
    "#1f6f43", "#1757b8", "#a8410c", "#7a3aa8", "#00707d", "#a3195b", "#6b5d00", "#4a5563",
  ]
  private static let dark = [
    "#6fd39a", "#8ab8ff", "#ffab73", "#d3a6ff", "#5fd3e0", "#ff93c4", "#d9c84f", "#b6c2cf",
  ]

  static func style(lanes: Int) -> String {
    """
    :root { color-scheme: light dark; --text: #1b1f24; --page: #ffffff; --soft: #57606a;
      --line: #d0d7de; --box: #f6f8fa; --bad: #b3261e; --color: var(--soft);
      \(colors(light)) }
    @media screen and (prefers-color-scheme: dark) { :root { --text: #e6edf3; --page: #0d1117;
      --soft: #9aa4ae; --line: #30363d; --box: #161b22; --bad: #ff8a80; \(colors(dark)) } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--page); color: var(--text);
      font: 15px/1.45 system-ui, sans-serif; }
    main { max-width: 1400px; margin: 0 auto; padding: 16px; }
    h1 { font-size: 20px; margin: 0 0 8px; overflow-wrap: anywhere; }
    h2 { font-size: 16px; margin: 20px 0 8px; }
    code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
    .note { margin: 4px 0; color: var(--soft); overflow-wrap: anywhere; }
    .tasks { list-style: none; margin: 0; padding: 0; }
    .tasks li { border-left: 4px solid var(--color); padding-left: 8px; margin: 4px 0; }
    .tasks b, .event b { color: var(--color); }
    .tasks span { color: var(--soft); overflow-wrap: anywhere; }
    .switch { background: var(--text); color: var(--page); border-radius: 4px; padding: 0 5px;
      font-size: 12px; font-weight: 600; }
    .steps { list-style: none; margin: 0; padding: 0; }
    .steps > li { display: grid; align-items: stretch;
      grid-template-columns: 4.2em \(lanes <= mostLines ? "\(min(lanes * 18, 126))px " : "")1fr; }
    .steps > .new { border-top: 1px solid var(--line); }
    time { color: var(--soft); font-size: 13px; padding: 6px 6px 0 0; text-align: right;
      font-variant-numeric: tabular-nums; }
    .same time { visibility: hidden; }
    .graph { position: relative; }
    .graph svg { position: absolute; inset: 0; width: 100%; height: 100%; }
    .graph line { stroke-width: 2; } .graph .reach { stroke-dasharray: 3 2; }
    \(graphColors)
    .event { padding: 5px 8px; margin: 2px 0; overflow-wrap: anywhere; min-width: 0; }
    .heads { display: none; }
    .fold { padding: 2px 0; } .fold ol { list-style: none; margin: 0; padding: 0; }
    .fold > details > ol > li { display: grid; grid-template-columns: 4.2em 1fr; }
    summary { color: var(--soft); padding: 6px; cursor: pointer; }
    .fold summary { text-align: center; }
    pre { font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
      margin: 0; padding: 8px; background: var(--box); border-left: 4px solid var(--bad); }
    .replay { margin: 0 0 12px; }
    button { font: inherit; font-size: 13px; padding: 4px 12px; margin: 4px 0; cursor: pointer;
      color: var(--text); background: var(--box); border: 1px solid var(--soft); border-radius: 6px; }
    :focus-visible { outline: 3px solid var(--c1); outline-offset: 2px; }
    .ending { color: var(--bad); font-weight: 600; padding: 8px; border: 2px solid var(--bad);
      border-radius: 6px; overflow-wrap: anywhere; }
    \(lanes <= wideLaneLimit ? wideStyle(lanes: lanes) : "")
    .steps > .fold { display: block; }
    @media print { :root { color-scheme: light; } main { padding: 0; } button { display: none; }
      ::details-content { content-visibility: visible; height: auto; }
      .heads { position: static; } li, pre { break-inside: avoid; } .fold { break-inside: auto; }
      .switch { color: inherit; background: none; border: 1px solid; } }
    """
  }

  private static func wideStyle(lanes: Int) -> String {
    let columns = "grid-template-columns: 5.5em repeat(\(lanes), minmax(0, 1fr));"
    // The lines between the lanes.
    let share = "calc(100% / \(lanes))"
    return """
      @media (min-width: \(100 + lanes * 180)px) {
        .steps { background: repeating-linear-gradient(90deg, var(--line) 0 1px,
          transparent 1px \(share)) 5.5em 0 / calc(100% - 5.5em) 100% no-repeat; }
        .heads { display: grid; \(columns) position: sticky; top: 0; background: var(--page);
          border-bottom: 2px solid var(--line); z-index: 1; }
        .heads b { color: var(--color); padding: 6px 8px; overflow-wrap: anywhere; }
        .steps > li { \(columns) }
        .graph { display: none; }
        .event { grid-column: var(--lane); grid-row: 1; background: var(--box);
          border-left: 4px solid var(--color); border-radius: 4px; margin: 3px 4px; }
        time { grid-column: 1; grid-row: 1; }
      }
      """
  }

  private static func colors(_ colors: [String]) -> String {
    colors.enumerated().map { "--c\($0): \($1);" }.joined(separator: " ")
  }

  private static var graphColors: String {
    (0..<colorCount).map {
      ".graph line.l\($0) { stroke: var(--c\($0)); } .graph circle.l\($0) { fill: var(--c\($0)); }"
    }.joined(separator: "\n")
  }
}
