public import HalcyonImaging
import CWebP
public import Foundation

/// Encodes WebP through libwebp, with alpha where the bitmap has some.
public struct WebPEncoder: ImageEncoder {
  /// The most pixels of a side that the format has.
  private static let sideLimit = 16_383

  /// Whether colours are kept exactly, save those of nearly transparent pixels, which are stored premultiplied.
  public let isLossless: Bool

  /// Creates an encoder; it holds nothing.
  ///
  /// - Parameter isLossless: Whether the quality of the options is passed over and colours are kept. Default: `false`.
  public init(isLossless: Bool = false) {
    self.isLossless = isLossless
  }

  /// WebP.
  public var format: ImageFormat { .webp }

  /// Encodes a bitmap; throws `ImageEncodingError.tooLarge` where a side is over 16,383 pixels.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.webp, bitmap.size)
    }
    var config = WebPConfig()
    guard WebPConfigInit(&config) != 0 else {
      throw ImageEncodingError.failed(.webp, reason: "libwebp is of another version")
    }
    config.quality = Float(options.quality * 100)
    if isLossless {
      config.lossless = 1
      // In between fast and small; for lossless pictures the quality of libwebp is effort.
      config.quality = 75
    }
    var picture = try WebPOutputBuffer(bitmap)
    return try picture.encode(config)
  }
}
