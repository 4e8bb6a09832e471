@_exported import Sleepless
