import ArgumentParser
import Foundation
import Halcyon

/// A size argument: `400x300`, `400x` or `x300`.
struct SizeArgument: ExpressibleByArgument {
  let target: TargetSize

  init?(argument: String) {
    let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, sides != ["", ""] else { return nil }
    guard let width = Self.side(sides[0]), let height = Self.side(sides[1]) else { return nil }
    target = .fit(width: width, height: height)
  }

  private static func side(_ text: Substring) -> Int? {
    if text.isEmpty { return .max }
    guard let number = Int(text), number > 0 else { return nil }
    return number
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

/// The options of the disk cache and the limits.
struct PipelineOptions: ParsableArguments {
  @Option(
    name: .customLong("cache-dir"),
    help: "The folder of the disk cache. Default: halcyon/PROGRAM/default in the system's cache folder.")
  var directory: String?

  @Option(help: "The most bytes of a download. Default: \(ImageLimits().encodedByteCount).")
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

  func pipeline() -> ImagePipeline {
    let directory = directory.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? DiskCache.defaultDirectory
    let pipeline = ImagePipeline(cache: .standard(directory: directory))
    var configuration = pipeline.configuration
    let limits = configuration.limits
    configuration.limits = ImageLimits(
      pixelCount: maxPixels ?? limits.pixelCount, sideLength: maxSide ?? limits.sideLength,
      encodedByteCount: maxBytes ?? limits.encodedByteCount)
    // The progress bar draws what has been received, also before a pause.
    configuration.progressInterval = .zero
    if let decoder = DrawSVGCommand.decoder { configuration.decoders.insert(decoder, at: 0) }
    return ImagePipeline(configuration: configuration)
  }
}

extension ImageError {
  private static let advice = [
    ("Raise limits.encodedByteCount to accept it.", "Raise --max-bytes to accept it."),
    ("Raise limits.pixelCount to accept it.", "Raise --max-pixels to accept it."),
    ("Raise limits.sideLength to accept it.", "Raise --max-side to accept it."),
    ("or raise the request's timeout.", "or raise --timeout."),
    (
      "and the request does not allow the network. Set its freshness to .standard to load it.",
      "and --freshness does not allow the network. Use --freshness standard to load it."
    ),
  ]

  /// The description, with the options of the program instead of the properties of the library.
  var advisedDescription: String {
    Self.advice.reduce(description) { $0.replacing($1.0, with: $1.1) }
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
}

extension Duration {
  /// Milliseconds, rounded to two decimal places.
  var roundedMilliseconds: Double { ((self / .milliseconds(1)) * 100).rounded() / 100 }
}
