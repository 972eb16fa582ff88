import HalcyonImaging

extension OptionParser {
  private static let sides = 0...100_000

  /// The options that determine the size, each with all its names.
  static let sizeOptions: [Option] = [
    Option(["resize", "rs"]) { (arguments, options) throws(OptionError) in
      if let type = try resizingType(arguments) { options.resizingType = type }
      try size(arguments.dropFirst(1), &options)
    },
    Option(["size", "s"], size),
    Option(["resizing_type", "rt"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      if let type = try resizingType(arguments) { options.resizingType = type }
    },
    integer(["width", "w"], \.width, in: sides), integer(["height", "h"], \.height, in: sides),
    integer(["min-width", "min_width", "mw"], \.minWidth, in: sides),
    integer(["min-height", "min_height", "mh"], \.minHeight, in: sides),
    Option(["zoom", "z"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(2)
      let x = try arguments.factor(0) ?? 1
      (options.zoomX, options.zoomY) = (x, try arguments.factor(1) ?? x)
    },
    Option(["dpr"], \.dpr) { (arguments) throws(OptionError) in try arguments.factor(0) ?? 1 },
    flag(["enlarge", "el"], \.enlarge),
    Option(["extend", "ex"], extending(\.extend)),
    Option(["extend_aspect_ratio", "extend_ar", "exar"], extending(\.extendAspectRatio)),
  ]

  private static func size(_ arguments: OptionArguments, _ options: inout ProcessingOptions) throws(OptionError) {
    options.width = try arguments.integer(0, in: sides) ?? options.width
    options.height = try arguments.integer(1, in: sides) ?? options.height
    options.enlarge = try arguments.flag(2) ?? options.enlarge
    if arguments.text(3) != nil { try extending(\.extend)(arguments.dropFirst(3), &options) }
  }

  private static func resizingType(
    _ arguments: OptionArguments
  ) throws(OptionError) -> ProcessingOptions.ResizingType? {
    guard let text = arguments.text(0) else { return nil }
    guard let type = ProcessingOptions.ResizingType(rawValue: text) else {
      throw arguments.invalid(text, "fit, fill, fill-down, force or auto")
    }
    return type
  }

  private static func extending(
    _ property: any WritableKeyPath<ProcessingOptions, ProcessingOptions.Extension> & Sendable
  ) -> Parse {
    { (arguments, options) throws(OptionError) in
      try arguments.checkCount(4)
      options[keyPath: property].isEnabled = try arguments.flag(0) ?? false
      options[keyPath: property].gravity = try arguments.gravity(1) ?? .center
    }
  }

  /// An option with a whole number; without an argument it is 0.
  static func integer(
    _ names: [String], _ property: any WritableKeyPath<ProcessingOptions, Int> & Sendable, in range: ClosedRange<Int>
  ) -> Option {
    Option(names, property) { (arguments) throws(OptionError) in try arguments.integer(0, in: range) ?? 0 }
  }

  /// An option that is on or off; without an argument it is off.
  static func flag(
    _ names: [String], _ property: any WritableKeyPath<ProcessingOptions, Bool> & Sendable
  ) -> Option {
    Option(names, property) { (arguments) throws(OptionError) in try arguments.flag(0) ?? false }
  }
}
