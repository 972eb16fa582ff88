public import Foundation

/// Turns pixels into encoded bytes. Calls may run at once on several threads.
public protocol ImageEncoder: Sendable {
  /// The format that this encoder writes.
  var format: ImageFormat { get }

  /// Encodes a bitmap. A format without transparency shows ``EncodingOptions/background`` through.
  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data
}

/// How an image is encoded.
public struct EncodingOptions: Hashable, Sendable {
  /// From 0 (smallest) to 1 (best), for formats with loss. Default: 0.8.
  public var quality: Double
  /// What shows through transparent pixels where the format has none; its alpha does not count. Default: white.
  public var background: PixelColor

  /// Creates options.
  ///
  /// - Precondition: `quality` lies in 0...1.
  public init(quality: Double = 0.8, background: PixelColor = .white) {
    precondition((0...1).contains(quality), "quality must lie in 0...1, got \(quality)")
    self.quality = quality
    self.background = background
  }
}

/// Why pixels did not become bytes.
@nonexhaustive
public enum ImageEncodingError: Error, Hashable {
  /// No encoder of this build writes the format.
  case unsupportedFormat(ImageFormat)
  /// The bitmap is larger than the format can hold.
  case tooLarge(ImageFormat, PixelSize)
  /// Even the lowest quality takes more bytes than were allowed.
  case overByteLimit(ImageFormat, byteCount: Int, byteLimit: Int)
  /// The codec refused, in its words.
  case failed(ImageFormat, reason: String)
}

extension ImageEncodingError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .unsupportedFormat(let format):
      "This build of Halcyon cannot write \(format.rawValue). \(format.encodingAdvice)"
    case .tooLarge(let format, let size):
      "A \(format.rawValue) file cannot hold \(size) pixels. Downsample the image, or choose another format."
    case .overByteLimit(let format, let byteCount, let byteLimit):
      """
      At its lowest quality the \(format.rawValue) file has \(byteCount) bytes, over the limit of \(byteLimit). \
      Downsample the image, or allow more.
      """
    case .failed(let format, let reason):
      "Writing \(format.rawValue) failed: \(reason)."
    }
  }
}
