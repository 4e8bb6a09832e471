// A test target imports this module and no other of ours.
@_exported import Sleepless
@_exported import SleeplessSimulation
