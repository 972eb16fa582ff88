import Foundation
import HalcyonImaging

extension OptionParser {
  /// The options of the file that is made.
  static let outputOptions: [Option] = [
    integer(["quality", "q"], \.quality, in: 0...100),
    Option(["format_quality", "fq"]) { (arguments, options) throws(OptionError) in
      for index in stride(from: 0, to: arguments.values.count, by: 2) {
        guard let format = try arguments.format(index), let quality = try arguments.integer(index + 1, in: 0...100)
        else { throw arguments.invalid(arguments.values[index], "pairs of a format and a quality") }
        options.formatQuality[format] = quality
      }
    },
    Option(["format", "f", "ext"], \.format) { (arguments) throws(OptionError) in try arguments.format(0) },
    integer(["max_bytes", "mb"], \.maxBytes, in: 0...1_000_000_000),
    Option(["skip_processing", "skp"]) { (arguments, options) throws(OptionError) in
      for index in arguments.values.indices {
        if let format = try arguments.format(index) { options.skippedFormats.insert(format) }
      }
    },
    flag(["raw"], \.raw),
    Option(["strip_metadata", "sm"], optionalFlag(\.stripsMetadata)),
    Option(["keep_copyright", "kcr"], optionalFlag(\.keepsCopyright)),
    Option(["strip_color_profile", "scp"], optionalFlag(\.stripsColorProfile)),
    Option(["preserve_hdr", "ph"], optionalFlag(\.preservesHDR)),
    // Results have no embedded thumbnail in any case.
    Option(["enforce_thumbnail", "eth"], ignoredFlag),
  ]

  /// The options that change limits, which the service has to allow.
  static let limitOptions: [Option] = [
    Option(["max_src_resolution", "msr"], \.sourcePixelLimit) { (arguments) throws(OptionError) in
      try arguments.number(0, in: 0...1_000_000).flatMap { $0 > 0 ? Int($0 * 1e6) : nil }
    },
    Option(["max_src_file_size", "msfs"], \.sourceByteLimit, positiveInteger),
    Option(["max_animation_frames", "maf"], \.animationFrameLimit) { (arguments) throws(OptionError) in
      try arguments.integer(0, in: 1...Int.max)
    },
    Option(["max_animation_frame_resolution", "mafr"], \.animationPixelLimit) { (arguments) throws(OptionError) in
      try arguments.number(0, in: 0...1_000_000).map { Int($0 * 1e6) }
    },
    Option(["max_result_dimension", "mrd"], \.resultDimension) { (arguments) throws(OptionError) in
      try arguments.integer(0, in: 0...100_000)
    },
  ]

  /// The options of the response.
  static let responseOptions: [Option] = [
    Option(["cachebuster", "cb"], \.cacheBuster) { (arguments) throws(OptionError) in arguments.text(0) ?? "" },
    Option(["expires", "exp"], \.expires, positiveInteger),
    Option(["filename", "fn"], \.filename, count: 2, filename),
    Option(["return_attachment", "att"], optionalFlag(\.returnsAttachment)),
  ]

  /// A number above 0; others stand for none.
  private static func positiveInteger(_ arguments: OptionArguments) throws(OptionError) -> Int? {
    try arguments.integer(0, in: Int.min...Int.max).flatMap { $0 > 0 ? $0 : nil }
  }

  private static func filename(_ arguments: OptionArguments) throws(OptionError) -> String {
    guard let text = arguments.text(0), try arguments.flag(1) == true else { return arguments.text(0) ?? "" }
    guard let bytes = Base64URL.decode(text) else { throw arguments.invalid(text, "a name in URL-safe Base64") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An option that is on or off; without an argument it has its default.
  static func optionalFlag(
    _ property: any WritableKeyPath<ProcessingOptions, Bool?> & Sendable
  ) -> Parse {
    { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      if let flag = try arguments.flag(0) { options[keyPath: property] = flag }
    }
  }

  private static let ignoredFlag: Parse = { (arguments, _) throws(OptionError) in
    try arguments.checkCount(1)
    _ = try arguments.flag(0)
  }
}
