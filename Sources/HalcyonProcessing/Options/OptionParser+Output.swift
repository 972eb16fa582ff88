import Foundation
import HalcyonImaging

extension OptionParser {
  /// The options of the file that is made.
  static let outputOptions: [Option] = [
    Option(["quality", "q"], integer(\.quality, in: 0...100)),
    Option(["format_quality", "fq"]) { (arguments, options) throws(OptionError) in
      for index in stride(from: 0, to: arguments.values.count, by: 2) {
        guard let format = try arguments.format(index), let quality = try arguments.integer(index + 1, in: 0...100)
        else { throw arguments.invalid(arguments.values[index], "pairs of a format and a quality") }
        options.formatQuality[format] = quality
      }
    },
    Option(["format", "f", "ext"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      options.format = try arguments.format(0)
    },
    Option(["max_bytes", "mb"], integer(\.maxBytes, in: 0...1_000_000_000)),
    Option(["skip_processing", "skp"]) { (arguments, options) throws(OptionError) in
      for index in arguments.values.indices {
        if let format = try arguments.format(index) { options.skippedFormats.insert(format) }
      }
    },
    Option(["raw"], flag(\.raw)),
    Option(["strip_metadata", "sm"], optionalFlag(\.stripsMetadata)),
    Option(["keep_copyright", "kcr"], optionalFlag(\.keepsCopyright)),
    Option(["strip_color_profile", "scp"], optionalFlag(\.stripsColorProfile)),
    Option(["preserve_hdr", "ph"], optionalFlag(\.preservesHDR)),
    // Results have no embedded thumbnail in any case.
    Option(["enforce_thumbnail", "eth"], ignoredFlag),
  ]

  /// The options that change limits, which the service has to allow.
  static let limitOptions: [Option] = [
    Option(["max_src_resolution", "msr"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      let megapixels = try arguments.number(0, in: 0...1_000_000) ?? 0
      options.sourcePixelLimit = megapixels > 0 ? Int(megapixels * 1e6) : nil
    },
    Option(["max_src_file_size", "msfs"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      let limit = try arguments.integer(0, in: Int.min...Int.max) ?? 0
      options.sourceByteLimit = limit > 0 ? limit : nil
    },
    Option(["max_animation_frames", "maf"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      options.animationFrameLimit = try arguments.integer(0, in: 1...Int.max)
    },
    Option(["max_animation_frame_resolution", "mafr"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      options.animationPixelLimit = try arguments.number(0, in: 0...1_000_000).map { Int($0 * 1e6) }
    },
    Option(["max_result_dimension", "mrd"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      options.resultDimension = try arguments.integer(0, in: 0...100_000)
    },
  ]

  /// The options of the response.
  static let responseOptions: [Option] = [
    Option(["cachebuster", "cb"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      options.cacheBuster = arguments.text(0) ?? ""
    },
    Option(["expires", "exp"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(1)
      options.expires = try arguments.integer(0, in: Int.min...Int.max).flatMap { $0 > 0 ? $0 : nil }
    },
    Option(["filename", "fn"]) { (arguments, options) throws(OptionError) in
      try arguments.checkCount(2)
      options.filename = try filename(arguments)
    },
    Option(["return_attachment", "att"], optionalFlag(\.returnsAttachment)),
  ]

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
