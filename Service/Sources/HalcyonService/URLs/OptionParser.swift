/// Parses the option segments of a path.
public struct OptionParser: Sendable {
  private let presets: [String: [String]]
  private let acceptsPresetsOnly: Bool

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - presets: The option segments of each preset, by its name; those of `default` apply to every path.
  ///   - acceptsPresetsOnly: Whether the segments are names of presets, separated by colons, and nothing else.
  public init(presets: [String: [String]] = [:], acceptsPresetsOnly: Bool = false) {
    self.presets = presets
    self.acceptsPresetsOnly = acceptsPresetsOnly
  }

  /// The options of a path. Later segments override earlier ones, and the extension overrides all formats.
  public func options(of path: ImagePath) throws(PathError) -> ProcessingOptions {
    var options = ProcessingOptions()
    if presets["default"] != nil { try apply(preset: "default", to: &options, within: []) }
    for segment in path.options { try apply(segment, to: &options, within: []) }
    if let text = path.fileExtension {
      options.format = try OptionArguments("format:\(text)").format(0)
    }
    return options
  }

  /// Checks that the segments of all presets are valid.
  public func checkPresets() throws(PathError) {
    for name in presets.keys {
      var options = ProcessingOptions()
      try apply(preset: name, to: &options, within: [])
    }
  }

  /// - Parameter names: The presets that contain the segment.
  private func apply(
    _ segment: String, to options: inout ProcessingOptions, within names: Set<String>
  ) throws(PathError) {
    let arguments = try OptionArguments(segment)
    if acceptsPresetsOnly, names.isEmpty {
      for name in segment.split(separator: ":") {
        guard presets[String(name)] != nil else { throw .presetsOnly(segment) }
        try apply(preset: String(name), to: &options, within: names)
      }
    } else if ["preset", "pr"].contains(arguments.option) {
      for name in arguments.values { try apply(preset: name, to: &options, within: names) }
    } else {
      guard let parse = Self.table[arguments.option] else { throw .unknownOption(arguments.option) }
      try parse(arguments, &options)
    }
  }

  private func apply(
    preset name: String, to options: inout ProcessingOptions, within names: Set<String>
  ) throws(PathError) {
    guard let segments = presets[name] else { throw .unknownPreset(name) }
    // A preset that contains itself adds nothing.
    guard !names.contains(name) else { return }
    for segment in segments { try apply(segment, to: &options, within: names.union([name])) }
  }

  typealias Parse = @Sendable (OptionArguments, inout ProcessingOptions) throws(PathError) -> Void

  private static let table: [String: Parse] = {
    var table: [String: Parse] = [:]
    for group in [sizeOptions, placementOptions, effectOptions, outputOptions, responseOptions] {
      for (names, parse) in group {
        for name in names { table[name] = parse }
      }
    }
    return table
  }()
}
