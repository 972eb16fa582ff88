package import Foundation

/// An encoder whose files keep a high dynamic range.
package protocol HighDynamicRangeEncoder: ImageEncoder {
  /// Whether its files hold a standard picture with a gain map. Otherwise they hold half floats in a transfer function of
  /// high dynamic range.
  var writesGainMaps: Bool { get }

  /// Encodes a picture of high dynamic range.
  ///
  /// - Parameters:
  ///   - bitmap: Bytes if there is a gain map, otherwise half floats.
  ///   - gainMap: A map of the bitmap, if the encoder ``writesGainMaps``.
  func encode(_ bitmap: Bitmap, gainMap: GainMap?, options: EncodingOptions) throws -> Data
}

extension HighDynamicRangeEncoder {
  package var writesGainMaps: Bool { false }

  package func encode(_ bitmap: Bitmap, gainMap: GainMap?, options: EncodingOptions) throws -> Data {
    try encode(bitmap, options: options)
  }
}

extension ImageEncoder {
  /// Encodes a still image in the range that the format supports.
  func encodeStill(_ image: DecodedImage, options: EncodingOptions) throws -> Data {
    guard image.gainMap != nil || image.bitmap.dynamicRange == .high,
      let encoder = self as? any HighDynamicRangeEncoder
    else { return try encode(image.bitmap.inStandardRange(), options: options) }
    guard let gainMap = image.gainMap else { return try encoder.encode(image.bitmap, gainMap: nil, options: options) }
    guard encoder.writesGainMaps else {
      return try encoder.encode(gainMap.applied(to: image.bitmap), gainMap: nil, options: options)
    }
    return try encoder.encode(image.bitmap, gainMap: gainMap, options: options)
  }
}
