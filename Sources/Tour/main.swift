// The tour of Sleepless: `swift run Tour`. Each chapter measures something on this machine.
//
// `swift run Tour convert` takes some minutes: it builds a package.

import Foundation

let chapters: [any Chapter]
switch CommandLine.arguments.dropFirst() {
case []: chapters = [SleepingOrNot(), ThousandSchedules(), FindYourWaits()]
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
print("\nNext: README.md shows how to write such tests. Tests/ExampleTests has many.")
if chapters.count > 1 {
  print("`swift run Tour convert` lets find-waits change a copy of that package, in minutes.")
}
