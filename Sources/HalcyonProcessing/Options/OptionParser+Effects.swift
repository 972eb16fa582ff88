import HalcyonImaging

extension OptionParser {
  /// The options that change colours.
  static let effectOptions: [Option] = [
    Option(["background", "bg"], \.background, count: 3, color),
    Option(["adjust", "a"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(3)
      options.brightness = try arguments.integer(0, in: -255...255) ?? 0
      options.contrast = try arguments.number(1, in: 0...100) ?? 1
      options.saturation = try arguments.number(2, in: 0...100) ?? 1
    },
    integer(["brightness", "br"], \.brightness, in: -255...255),
    number(["contrast", "co"], \.contrast, in: 0...100, default: 1),
    number(["saturation", "sa"], \.saturation, in: 0...100, default: 1),
    number(["blur", "bl"], \.blur, in: 0...1000, default: 0),
    number(["sharpen", "sh"], \.sharpen, in: 0...100, default: 0),
    integer(["pixelate", "pix"], \.pixelate, in: 0...100_000),
  ]

  private static func color(_ arguments: OptionArguments) throws(OptionError) -> PixelColor? {
    guard arguments.values.count > 1 else { return try color(arguments, at: 0) }
    var components: [UInt8] = []
    for index in 0..<3 { components.append(UInt8(try arguments.integer(index, in: 0...255) ?? 0)) }
    return PixelColor(red: components[0], green: components[1], blue: components[2])
  }

  /// A colour of hexadecimal digits.
  static func color(_ arguments: OptionArguments, at index: Int) throws(OptionError) -> PixelColor? {
    guard let text = arguments.text(index) else { return nil }
    guard let color = PixelColor(hexadecimal: text) else {
      throw arguments.invalid(text, "a colour of 3 or 6 hexadecimal digits, such as ff8000")
    }
    return color
  }

  private static func number(
    _ names: [String], _ property: any WritableKeyPath<ProcessingOptions, Double> & Sendable,
    in range: ClosedRange<Double>, default missing: Double
  ) -> Option {
    Option(names, property) { (arguments) throws(OptionError) in try arguments.number(0, in: range) ?? missing }
  }
}

extension PixelColor {
  /// An opaque colour of three or six hexadecimal digits.
  init?(hexadecimal text: String) {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, [3, 6].contains(digits.count) else { return nil }
    let full = digits.count == 6 ? digits : digits.flatMap { [$0, $0] }
    let bytes = stride(from: 0, to: 6, by: 2).map { UInt8(full[$0] * 16 + full[$0 + 1]) }
    self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
  }
}
