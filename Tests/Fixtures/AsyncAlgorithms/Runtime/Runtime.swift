/// A module with the name of one of the toolchain's.
public let isOfThisPackage = true
