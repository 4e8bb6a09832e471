// The program behind `swift package find-waits`. Its logic is in the module FindWaits.

import FindWaits
import Foundation

exit(Command.run(Array(CommandLine.arguments.dropFirst())))
