// The tour of Sleepless: `swift run Tour`. Each chapter measures something on this machine.

let chapters: [any Chapter] = [SleepingOrNot(), ThousandSchedules(), FindYourWaits()]
let progress = ProgressLine()

print("Sleepless: tests that never wait")
for (number, chapter) in chapters.enumerated() {
  let lines = await chapter.run(showing: progress)
  print("\n\(number + 1). \(chapter.title)\n")
  for line in lines { print(line.isEmpty ? "" : "   " + line) }
}
print("\nNext: README.md shows how to write such tests. Tests/ExampleTests has many.")
