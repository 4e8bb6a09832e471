#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  /// A generic parameter. The second one of the outermost generic type or function has depth 0 and index 1.
  struct GenericParameter: Hashable {
    let depth: Int
    let index: Int

    /// Nil if the name is not that of a parameter alone: `x`, `q_`, `q0_`, `qd__`, `qd0_1_`.
    init?(_ name: MangledType) {
      guard let name = name.text else { return nil }
      if name == "x" {
        self.init(depth: 0, index: 0)
      } else if let match = name.wholeMatch(of: /q(\d*)_/) {
        self.init(depth: 0, index: Self.number(match.1) + 1)
      } else if let match = name.wholeMatch(of: /qd(\d*)_(\d*)_/) {
        self.init(depth: Self.number(match.1) + 1, index: Self.number(match.2))
      } else {
        return nil
      }
    }

    init(depth: Int, index: Int) {
      self.depth = depth
      self.index = index
    }

    /// Mangled names have nothing for 0, and `0` for 1.
    private static func number(_ text: Substring) -> Int { Int(text).map { $0 + 1 } ?? 0 }
  }

  /// Generic arguments in the form in which the runtime takes them to resolve the name of a type.
  ///
  /// The format is that of `GenericEnvironmentDescriptor` in the compiler's `ABI/GenericContext.h`.
  struct GenericEnvironment {
    private var description: [UInt8] = []
    private var arguments: [UInt] = []

    init(_ known: [GenericParameter: TypeMetadata]) {
      guard let depth = known.keys.map(\.depth).max() else { return }
      let counts = (0...depth).map { depth in
        known.keys.filter { $0.depth == depth }.map { $0.index + 1 }.max() ?? 0
      }
      var total = 0
      append(UInt32(counts.count))
      for count in counts {
        total += count
        append(UInt16(total))
      }
      for (depth, count) in counts.enumerated() {
        for index in 0..<count {
          let argument = known[GenericParameter(depth: depth, index: index)]
          let isAmongArguments: UInt8 = 0x80
          description.append(argument == nil ? 0 : isAmongArguments)
          if let argument { arguments.append(argument.address) }
        }
      }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number) { description.append(contentsOf: $0) }
    }

    func metadata(of name: MangledType) -> TypeMetadata? {
      guard !name.containsBlock else { return nil }
      guard !arguments.isEmpty else { return name.metadata(environment: nil, arguments: nil) }
      return description.withUnsafeBytes { description in
        arguments.withUnsafeBytes { arguments in
          name.metadata(environment: description.baseAddress, arguments: arguments.baseAddress)
        }
      }
    }
  }
#endif
