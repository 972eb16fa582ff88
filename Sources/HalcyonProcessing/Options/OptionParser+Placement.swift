import HalcyonImaging

extension OptionParser {
  /// The options that cut, place and turn the image.
  static let placementOptions: [Option] = [
    Option(["gravity", "g"]) { (arguments, options) throws(OptionError) in
      options.gravity = try arguments.gravity(0, isCrop: true) ?? .center
    },
    Option(["crop", "c"], \.crop, count: 5) { (arguments) throws(OptionError) in
      ProcessingOptions.Crop(
        width: try arguments.number(0, in: 0...100_000) ?? 0, height: try arguments.number(1, in: 0...100_000) ?? 0,
        gravity: try arguments.gravity(2, isCrop: true))
    },
    Option(["trim", "t"], \.trim, count: 4) { (arguments) throws(OptionError) in
      guard let threshold = try arguments.number(0, in: 0...255) else { return nil }
      return ProcessingOptions.Trim(
        threshold: threshold, color: try color(arguments, at: 1),
        equalHorizontally: try arguments.flag(2) ?? false, equalVertically: try arguments.flag(3) ?? false)
    },
    Option(["padding", "pd"], \.padding, count: 4) { (arguments) throws(OptionError) in
      let range = 0...10_000
      var padding = ProcessingOptions.Padding()
      padding.top = try arguments.integer(0, in: range) ?? 0
      padding.right = try arguments.integer(1, in: range) ?? padding.top
      padding.bottom = try arguments.integer(2, in: range) ?? padding.top
      padding.left = try arguments.integer(3, in: range) ?? padding.right
      return padding
    },
    Option(["auto_rotate", "ar"], optionalFlag(\.autoRotate)),
    Option(["rotate", "rot"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      guard let degrees = try arguments.integer(0, in: -3600...3600) else { return }
      guard degrees % 90 == 0 else { throw arguments.invalid("\(degrees)", "a multiple of 90") }
      options.rotation = ((degrees % 360) + 360) % 360
    },
    Option(["flip", "fl"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(2)
      options.flipsHorizontally = try arguments.flag(0) ?? false
      options.flipsVertically = try arguments.flag(1) ?? false
    },
    Option(["watermark", "wm"], \.watermark, count: 5, watermark),
  ]

  private static func watermark(_ arguments: OptionArguments) throws(OptionError) -> ProcessingOptions.Watermark? {
    let opacity = try arguments.number(0, in: 0...1) ?? 0
    guard opacity > 0 else { return nil }
    var watermark = ProcessingOptions.Watermark(opacity: opacity)
    watermark.isRepeated = arguments.text(1) == "re"
    if let text = arguments.text(1), !watermark.isRepeated {
      guard let kind = Gravity.Kind(rawValue: text), ![.focusPoint, .smart].contains(kind) else {
        throw arguments.invalid(text, "one of ce, no, so, ea, we, noea, nowe, soea, sowe and re")
      }
      watermark.gravity.kind = kind
    }
    watermark.gravity.x = try arguments.number(2, in: -100_000...100_000) ?? 0
    watermark.gravity.y = try arguments.number(3, in: -100_000...100_000) ?? 0
    watermark.scale = try arguments.number(4, in: 0...10) ?? 0
    return watermark
  }
}
