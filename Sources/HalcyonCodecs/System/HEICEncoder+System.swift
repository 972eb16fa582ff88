#if IMAGEIO
package import Foundation
package import HalcyonImaging

/// Encodes HEIC through ImageIO, with alpha.
package struct HEICEncoder: ImageEncoder {
  private static let type = "public.heic"

  /// Creates an encoder; `nil` where the system has none, as on watches.
  package init?() {
    guard ImageIOWriter.writes(Self.type) else { return nil }
  }

  package var format: ImageFormat { .heic }

  /// Encodes a bitmap.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    try rejectMetadata(options)
    return try ImageIOWriter.file(
      of: bitmap.inStandardRange(), type: Self.type, quality: options.quality, format: .heic)
  }
}
#endif
