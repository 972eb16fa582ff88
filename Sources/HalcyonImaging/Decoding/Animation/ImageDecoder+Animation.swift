public import Foundation

extension ImageDecoder {
  /// Decodes a whole file at the wanted size; an animated one keeps what it takes to play it.
  ///
  /// ``DecodedImage/animation`` is set where the file has several pictures, this decoder is an
  /// ``AnimatedImageDecoder``, and ``DecodingOptions/keepsAnimation`` holds. An animation that cannot be opened leaves
  /// its still picture, and `frames` among what was dropped.
  public func image(from bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let still = try decode(bytes, options: options)
    guard options.keepsAnimation, still.info.frameCount > 1, let decoder = self as? any AnimatedImageDecoder else {
      return still
    }
    var info = still.info
    info.droppedContent.remove(.frames)
    guard let animation = try? AnimatedImage(data: bytes, info: info, decoder: decoder, options: options),
      animation.animation.frameCount > 1
    else { return still }
    return DecodedImage(bitmap: still.bitmap, info: info, animation: animation)
  }
}
