#if IMAGEIO
import CoreGraphics
import Foundation
import HalcyonImaging
import ImageIO

/// Encodes images through ImageIO.
enum ImageIOWriter {
  /// Whether the system has an encoder for a uniform type identifier.
  static func writes(_ type: String) -> Bool {
    (CGImageDestinationCopyTypeIdentifiers() as? [String])?.contains(type) == true
  }

  /// The file of one image.
  ///
  /// - Parameters:
  ///   - type: The uniform type identifier of the format, such as `public.jpeg`.
  ///   - quality: From 0 to 1; `nil` for a lossless format.
  static func file(
    of bitmap: Bitmap, type: String, quality: Double?, format: ImageFormat
  ) throws(ImageEncodingError) -> Data {
    let data = NSMutableData()
    guard let image = bitmap.cgImage,
      let destination = CGImageDestinationCreateWithData(data as CFMutableData, type as CFString, 1, nil)
    else { throw .failed(format, reason: "the system has no encoder for \(type)") }
    let properties = quality.map { [kCGImageDestinationLossyCompressionQuality: $0] as CFDictionary }
    CGImageDestinationAddImage(destination, image, properties)
    guard CGImageDestinationFinalize(destination) else {
      throw .failed(format, reason: "the system cannot write \(bitmap.size) pixels as \(type)")
    }
    return Data(referencing: data)
  }
}
#endif
