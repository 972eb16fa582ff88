/// Parses the processing options of an image URL, in the syntax of imgproxy.
public struct OptionParser: Sendable {
  private let presets: [String: [String]]
  private let acceptsPresetsOnly: Bool
  private let acceptsLimits: Bool
  private let allowed: Set<String>

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - presets: The option segments of each preset, by its name; the segments of `default` apply to every path.
  ///   - acceptsPresetsOnly: Whether the segments are names of presets, separated by colons, and nothing else.
  ///   - acceptsLimits: Whether paths may have the options that change limits.
  ///   - allowed: The names of the options that paths may have, in addition to presets; empty is all.
  public init(
    presets: [String: [String]] = [:], acceptsPresetsOnly: Bool = false, acceptsLimits: Bool = false,
    allowed: Set<String> = []
  ) {
    self.presets = presets
    self.acceptsPresetsOnly = acceptsPresetsOnly
    self.acceptsLimits = acceptsLimits
    self.allowed = allowed
  }

  /// The options of segments, each `NAME:ARGUMENT:…`, and a text that is the same for segments with the same result, even
  /// if the headers of their responses differ.
  ///
  /// Later segments override earlier ones, and the extension overrides all formats.
  ///
  /// - Parameters:
  ///   - fileExtension: The extension of the result, if it has one.
  ///   - defaults: The options that segments override.
  public func options(
    _ segments: [String], fileExtension: String? = nil, over defaults: ProcessingOptions = ProcessingOptions()
  ) throws(OptionError) -> (options: ProcessingOptions, identifier: String) {
    var target = Target(options: defaults)
    if presets["default"] != nil { try apply(preset: "default", to: &target, within: []) }
    for segment in segments { try apply(segment, to: &target, within: []) }
    if let text = fileExtension {
      target.options.format = try OptionArguments("format:\(text)").format(0)
      target.segments.append("format:\(text)")
    }
    return (target.options, target.segments.joined(separator: "/"))
  }

  /// Whether there is an option of this name.
  @_spi(Programs) public static func isOption(_ name: String) -> Bool {
    table[name] != nil || presetNames.contains(name)
  }

  /// Checks that the segments of all presets are valid.
  public func checkPresets() throws(OptionError) {
    for name in presets.keys {
      var target = Target()
      try apply(preset: name, to: &target, within: [])
    }
  }

  /// The options that segments are applied to.
  private struct Target {
    var options = ProcessingOptions()
    /// The segments that change the result, with the full names of their options.
    var segments: [String] = []
  }

  /// - Parameter names: The presets that contain the segment.
  private func apply(
    _ segment: String, to target: inout Target, within names: Set<String>
  ) throws(OptionError) {
    let arguments = try OptionArguments(segment)
    guard !names.isEmpty || allowed.isEmpty || allowed.contains(arguments.option) else {
      throw .optionNotAllowed(arguments.option)
    }
    if acceptsPresetsOnly, names.isEmpty {
      for name in OptionArguments.parts(of: segment) where !name.isEmpty {
        guard presets[name] != nil else { throw .presetsOnly(segment) }
        try apply(preset: name, to: &target, within: names)
      }
    } else if Self.presetNames.contains(arguments.option) {
      for name in arguments.values { try apply(preset: name, to: &target, within: names) }
    } else {
      guard let option = Self.table[arguments.option] else { throw .unknownOption(arguments.option) }
      guard acceptsLimits || !Self.limitNames.contains(option.name) else { throw .forbiddenOption(arguments.option) }
      try option.parse(arguments, &target.options)
      if !Self.responseNames.contains(option.name) {
        target.segments.append(option.name + String(Substring(segment.utf8.dropFirst(arguments.option.utf8.count))))
      }
    }
  }

  private func apply(
    preset name: String, to target: inout Target, within names: Set<String>
  ) throws(OptionError) {
    guard let segments = presets[name] else { throw .unknownPreset(name) }
    // A preset that contains itself adds nothing.
    guard !names.contains(name) else { return }
    for segment in segments { try apply(segment, to: &target, within: names.union([name])) }
  }

  typealias Parse = @Sendable (OptionArguments, inout ProcessingOptions) throws(OptionError) -> Void

  /// An option of paths. A structure, since older systems of Apple have no run-time metadata for a tuple of such a closure.
  struct Option: Sendable {
    /// The full name, then the short ones.
    let names: [String]
    let parse: Parse

    init(_ names: [String], _ parse: @escaping Parse) { (self.names, self.parse) = (names, parse) }

    /// An option that sets a property.
    ///
    /// - Parameter count: The most arguments.
    init<Value>(
      _ names: [String], _ property: any WritableKeyPath<ProcessingOptions, Value> & Sendable, count: Int = 1,
      _ read: @escaping @Sendable (OptionArguments) throws(OptionError) -> Value
    ) {
      self.init(names) { (arguments, options) throws(OptionError) in
        try arguments.checkCount(count)
        options[keyPath: property] = try read(arguments)
      }
    }

    fileprivate var name: String { names[0] }
  }

  private static let presetNames: Set = ["preset", "pr"]
  private static let limitNames = Set(limitOptions.map(\.name))
  /// The options that change the response, not the result.
  private static let responseNames = Set(responseOptions.map(\.name))

  private static let table: [String: Option] = {
    let groups = [sizeOptions, placementOptions, effectOptions, outputOptions, limitOptions, responseOptions]
    var table: [String: Option] = [:]
    for option in groups.joined() { for name in option.names { table[name] = option } }
    return table
  }()
}
