// The tour of Sleepless: `swift run Tour`. Its chapters measure something on this machine.
//
// `swift run Tour convert` builds a package instead, which takes a minute or more.

import Foundation

let chapters: [any Chapter]
var next = "Next: README.md shows how to write such tests. Tests/ExampleTests has many."
switch CommandLine.arguments.dropFirst() {
case []:
  chapters = [SleepingOrNot(), ThousandSchedules(), FindYourWaits()]
  next += "\n`swift run Tour convert` lets find-waits change a copy of \(Sample.path)."
case ["convert"]: chapters = [ChangeACopy()]
default:
  FileHandle.standardError.write(Data("Usage: swift run Tour [convert]\n".utf8))
  exit(2)
}
let progress = ProgressLine()

print("Sleepless: tests that never wait")
for (number, chapter) in chapters.enumerated() {
  let lines = await chapter.run(showing: progress)
  print("\n\(number + 1). \(chapter.title)\n")
  for line in lines { print(line.isEmpty ? "" : "   " + line) }
}
print("\n\(next)")
