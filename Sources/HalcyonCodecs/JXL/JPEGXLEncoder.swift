#if JXL
public import HalcyonImaging
import CJXL
public import Foundation

/// Encodes JPEG XL through libjxl, alpha included.
///
/// Effort is 4 of libjxl's 1 (fastest) to 9, on one thread: a picture of 1 megapixel takes about a quarter of a second.
public struct JPEGXLEncoder: ImageEncoder {
  private static let effort: Int64 = 4
  /// What libjxl takes at the level of its format that every decoder reads.
  private static let sideLimit = 1 << 18

  /// Creates an encoder; it holds nothing.
  public init() {}

  /// JPEG XL.
  public var format: ImageFormat { .jpegXL }

  /// Encodes a bitmap; throws `ImageEncodingError.tooLarge` where a side is over 262,144 pixels.
  ///
  /// Quality 1 is without loss. Below, it becomes a distance as in `cjxl`: 0.9 is 1, which the eye takes for the
  /// original, 0.3 is 6.4, and 0 is 15.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.jpegXL, bitmap.size)
    }
    let writer = try JPEGXLWriter()
    try writer.start(
      size: bitmap.size, hasAlpha: !bitmap.isOpaque, effort: Self.effort, distance: Self.distance(options.quality))
    try writer.write(Self.straightPixels(of: bitmap))
    return try writer.finish()
  }

  /// 0 where nothing is lost.
  static func distance(_ quality: Double) -> Float {
    let percent = quality * 100
    if percent >= 100 { return 0 }
    if percent >= 30 { return Float(0.1 + (100 - percent) * 0.09) }
    return Float(min(15, 53.0 / 3000 * percent * percent - 23.0 / 20 * percent + 25))
  }

  /// Rows without gaps: red, green, blue, and alpha where there is any.
  private static func straightPixels(of bitmap: Bitmap) -> [UInt8] {
    let channelCount = bitmap.isOpaque ? 3 : 4
    var straight = [UInt8](repeating: 0, count: bitmap.size.pixelCount * 4)
    bitmap.withUnsafeBytes { bytes in
      guard let pixels = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      straight.withUnsafeMutableBufferPointer { target in
        guard let start = target.baseAddress else { return }
        AlphaMath.unpremultiply(pixels, count: bitmap.size.pixelCount, into: start)
        guard channelCount == 3 else { return }
        for pixel in 0..<bitmap.size.pixelCount {
          for channel in 0..<3 { start[pixel * 3 + channel] = start[pixel * 4 + channel] }
        }
      }
    }
    return Array(straight.prefix(bitmap.size.pixelCount * channelCount))
  }
}
#endif
