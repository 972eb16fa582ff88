import ArgumentParser
import Foundation
import Halcyon

/// A size argument: `400x300`, `400x` or `x300`.
struct SizeArgument: ExpressibleByArgument {
  /// `nil` if it is not limited.
  let width: Int?
  let height: Int?

  /// The whole image inside.
  var target: TargetSize { .fit(width: width ?? .max, height: height ?? .max) }

  init?(argument: String) {
    let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, sides != ["", ""] else { return nil }
    let numbers = sides.map { Int($0) }
    guard zip(sides, numbers).allSatisfy({ $0.isEmpty || $1.map { $0 > 0 } ?? false }) else { return nil }
    (width, height) = (numbers[0], numbers[1])
  }
}

/// A freshness policy by name.
enum FreshnessArgument: String, ExpressibleByArgument, CaseIterable {
  case standard
  case cacheFirst = "cache-first"
  case revalidate
  case reload
  case cacheOnly = "cache-only"
  case offline

  var policy: FreshnessPolicy {
    switch self {
    case .standard: .standard
    case .cacheFirst: .cacheFirst
    case .revalidate: .revalidate
    case .reload: .reloadIgnoringCache
    case .cacheOnly: .cacheOnly
    case .offline: .offline
    }
  }

  static let help = """
    standard revalidates stale images, cache-first never revalidates, revalidate always does; reload downloads the \
    image again
    """
}

/// A duration argument in seconds, above 0, fractions allowed.
struct SecondsArgument: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    guard let seconds = Double(argument), seconds > 0, seconds < 1e9 else { return nil }
    duration = .seconds(seconds)
  }
}

/// The options of the limits.
struct LimitOptions: ParsableArguments {
  @Option(help: "The most bytes of an image file. Default: \(ImageLimits().encodedByteCount).")
  var maxBytes: Int?

  @Option(help: "The most pixels of an image. Default: \(ImageLimits().pixelCount).")
  var maxPixels: Int?

  @Option(help: "The most pixels of a side of an image. Default: \(ImageLimits().sideLength).")
  var maxSide: Int?

  func validate() throws {
    for (name, value) in [("bytes", maxBytes), ("pixels", maxPixels), ("side", maxSide)] {
      if let value, value < 1 { throw ValidationError("--max-\(name) has to be at least 1, not \(value).") }
    }
  }

  /// Limits with the default of each that is not given.
  func limits(_ defaults: ImageLimits = ImageLimits()) -> ImageLimits {
    ImageLimits(
      pixelCount: maxPixels ?? defaults.pixelCount, sideLength: maxSide ?? defaults.sideLength,
      encodedByteCount: maxBytes ?? defaults.encodedByteCount)
  }
}

/// The options of the disk cache and the limits.
struct PipelineOptions: ParsableArguments {
  @Option(
    name: .customLong("cache-dir"),
    help: "The folder of the disk cache. Default: halcyon/PROGRAM/default in the system's cache folder.",
    completion: .directory)
  var directory: String?

  @OptionGroup var limits: LimitOptions

  func pipeline() -> ImagePipeline {
    let directory = directory.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? DiskCache.defaultDirectory
    let pipeline = ImagePipeline(cache: .standard(directory: directory))
    var configuration = pipeline.configuration
    configuration.limits = limits.limits(configuration.limits)
    // The progress bar draws what has been received, also before a pause.
    configuration.progressInterval = .zero
    if let decoder = DrawSVGCommand.decoder { configuration.decoders.insert(decoder, at: 0) }
    return ImagePipeline(configuration: configuration)
  }
}

/// The descriptions of the library's errors, with the options of the program instead of the library's properties.
enum Advice {
  private static let replacements = [
    ("Raise limits.encodedByteCount to accept it.", "Raise --max-bytes to accept it."),
    ("Raise limits.pixelCount to accept it.", "Raise --max-pixels to accept it."),
    ("Raise limits.sideLength to accept it.", "Raise --max-side to accept it."),
    ("or raise the request's timeout.", "or raise --timeout."),
    (
      "and the request does not allow the network. Set its freshness to .standard to load it.",
      "and --freshness does not allow the network. Use --freshness standard to load it."
    ),
  ]

  static func describe(_ error: any Error) -> String {
    replacements.reduce("\(error)") { $0.replacing($1.0, with: $1.1) }
  }
}

/// The URL of a source argument, which may also be a path.
enum SourceURL {
  /// A URL unchanged; a path as a `file` URL.
  static func resolve(_ text: String) -> String {
    let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    let isURL = text.dropFirst(scheme.count).hasPrefix("://") || scheme.lowercased() == "data"
    return isURL ? text : URL(filePath: text).absoluteString
  }
}

/// Encodes a value as a JSON object on one line.
enum JSONLine {
  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// The object; empty for a value that cannot be encoded, as numbers that are not finite cannot.
  static func text(_ value: some Encodable) -> String { (try? encode(value)) ?? "{}" }
}

extension Duration {
  /// Milliseconds, rounded to two decimal places.
  var roundedMilliseconds: Double { ((self / .milliseconds(1)) * 100).rounded() / 100 }
}
