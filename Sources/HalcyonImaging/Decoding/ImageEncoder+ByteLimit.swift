public import Foundation

extension ImageEncoder {
  /// Encodes a bitmap at the best quality that keeps the file within a number of bytes.
  ///
  /// Encodes up to eight times, which finds the quality to about 1/64 of what was asked for. A format without loss has
  /// one size, whatever the quality.
  ///
  /// - Parameters:
  ///   - options: Its quality is the best that is tried.
  ///   - byteLimit: The most bytes of the file.
  /// - Throws: ``ImageEncodingError/overByteLimit(_:byteCount:byteLimit:)`` when even quality 0 is too large; what
  ///   ``encode(_:options:)`` throws.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions, byteLimit: Int) throws -> Data {
    let best = try encode(bitmap, options: options)
    if best.count <= byteLimit { return best }
    var lower = options
    lower.quality = 0
    var fitting = try encode(bitmap, options: lower)
    guard fitting.count <= byteLimit else {
      throw ImageEncodingError.overByteLimit(format, byteCount: fitting.count, byteLimit: byteLimit)
    }
    var (low, high) = (0.0, options.quality)
    for _ in 0..<6 {
      lower.quality = (low + high) / 2
      let file = try encode(bitmap, options: lower)
      if file.count <= byteLimit {
        (fitting, low) = (file, lower.quality)
      } else {
        high = lower.quality
      }
    }
    return fitting
  }
}
