extension SchedulePage {
  /// A line with a button that copies it. The script shows the button, so there is none without scripts.
  static func copyable(_ line: String) -> String {
    """
    <h2>Replay</h2>
    <p class="replay"><code id="replay">\(escaped(line))</code> \
    <button type="button" id="copy" aria-describedby="replay" hidden>Copy</button> \
    <span id="copied" role="status"></span></p>
    """
  }

  /// Selects the line and copies the selection: unlike the clipboard's own interface this works in a page
  /// from a file and in one without TLS. If the browser refuses, the line stays selected.
  static let copyScript = """
    <script>
    const button = document.getElementById("copy");
    button.hidden = false;
    button.onclick = () => {
      getSelection().selectAllChildren(document.getElementById("replay"));
      document.getElementById("copied").textContent =
        document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.";
    };
    </script>
    """
}
