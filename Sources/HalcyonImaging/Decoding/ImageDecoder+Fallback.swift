import Foundation

extension ImageDecoder {
  /// Decodes at the target size or, if the decoder fails only at that size or decodes no regions, the whole image at the
  /// original size, and crops and scales the result.
  ///
  /// The whole image is within the same limits. A file that is damaged or exceeds a limit is not decoded twice.
  func decodeWithFallback(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    if !decodes(options.region) { return try cropped(decode(bytes, options: options.ofWholeImage), options) }
    do {
      return try decode(bytes, options: options)
    } catch {
      guard options.size != .original || options.region != nil, Self.mayDependOnSize(error), !options.isCancelled()
      else {
        throw error
      }
      // The first error names the cause, also if nothing can be decoded at all.
      guard let image = try? decode(bytes, options: options.ofWholeImage) else {
        throw options.isCancelled() ? ImageDecodingError.cancelled : error
      }
      return try cropped(image, options)
    }
  }

  /// The part of a whole image at the size of the options.
  private func cropped(_ image: DecodedImage, _ options: DecodingOptions) throws -> DecodedImage {
    let geometry = try options.size.geometry(for: image.size, region: options.region)
    try options.limits.check(geometry.outputSize, format: image.info.format)
    var image = image
    image.bitmap = try image.bitmap.with(BitmapGeometry(geometry), isCancelled: options.isCancelled)
    return image
  }

  /// Whether the decoder may succeed at another size: not with data that is damaged, and not against a limit.
  private static func mayDependOnSize(_ error: any Error) -> Bool {
    switch error {
    // For drawings these are limits of time and memory.
    case ImageDecodingError.unsupportedFeature(let format, feature: _): format != .svg
    case is ImageDecodingError, is CancellationError: false
    default: true
    }
  }
}
