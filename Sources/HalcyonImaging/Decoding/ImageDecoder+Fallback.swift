import Foundation

extension ImageDecoder {
  /// Decodes at the target size or, if the decoder fails only at that size, at the original size, and scales the result.
  ///
  /// The whole image is within the same limits. A file that is damaged or exceeds a limit is not decoded twice.
  func decodeWithFallback(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    do {
      return try decode(bytes, options: options)
    } catch {
      guard options.size != .original, Self.mayDependOnSize(error), !options.isCancelled() else { throw error }
      var whole = options
      whole.size = .original
      // The first error names the cause, also if nothing can be decoded at all.
      guard var image = try? decode(bytes, options: whole) else {
        throw options.isCancelled() ? ImageDecodingError.cancelled : error
      }
      let geometry = options.size.geometry(for: image.size)
      try options.limits.check(geometry.outputSize, format: image.info.format)
      image.bitmap = try image.bitmap.scaled(to: geometry, isCancelled: options.isCancelled)
      return image
    }
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
