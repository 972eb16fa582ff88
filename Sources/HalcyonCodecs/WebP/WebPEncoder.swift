#if !IMAGEIO
package import HalcyonImaging
import CHalcyonWebP
package import Foundation

/// Encodes WebP through libwebp, lossy or lossless, with alpha, still and animated.
package struct WebPEncoder: AnimatedImageEncoder {
  /// The longest side that the format allows, in pixels.
  private static let sideLimit = 16_383

  private let effort: Int
  private let preset: EncoderSettings.WebPPreset

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - effort: libwebp's method, from 0 (fastest) to 6 (smallest). Default: 4.
  ///   - preset: The content of lossy images.
  package init(effort: Int = 4, preset: EncoderSettings.WebPPreset = .default) {
    (self.effort, self.preset) = (effort, preset)
  }

  package var format: ImageFormat { .webp }

  /// Encodes a bitmap.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 16,383 pixels.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    let bitmap = try bitmap.inStandardRange()
    try Self.check(bitmap.size)
    var picture = try WebPOutputBuffer(bitmap)
    let file = try picture.encode(config(options))
    return try WritableMetadata(options.metadata, bitmap.colorSpace)?.added(toWebP: file, size: bitmap.size) ?? file
  }

  /// Writes an animation through libwebp's encoder of animations, which stores the difference to the frame before.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 16,383 pixels, with the first frame.
  package func frameWriter(
    for animation: AnimationInfo, options: EncodingOptions
  ) throws -> any ImageFrameWriter {
    WebPFrameWriter(
      loopCount: animation.loopCount, config: try config(options), metadata: options.metadata, check: Self.check)
  }

  private static func check(_ size: PixelSize) throws(ImageEncodingError) {
    guard max(size.width, size.height) <= sideLimit else { throw .tooLarge(.webp, size) }
  }

  private func config(_ options: EncodingOptions) throws(ImageEncodingError) -> WebPConfig {
    var config = WebPConfig()
    let quality = Float(options.quality * 100)
    guard WebPConfigPreset(&config, preset.value, quality) != 0 else {
      throw .failed(.webp, reason: "libwebp has an incompatible version")
    }
    config.method = Int32(effort)
    if options.isLossless {
      config.lossless = 1
      // For lossless encoding, libwebp's quality is the effort; a compromise between fast and small.
      config.quality = 75
    }
    return config
  }
}

extension EncoderSettings.WebPPreset {
  fileprivate var value: WebPPreset {
    switch self {
    case .default: WEBP_PRESET_DEFAULT
    case .photo: WEBP_PRESET_PHOTO
    case .picture: WEBP_PRESET_PICTURE
    case .drawing: WEBP_PRESET_DRAWING
    case .icon: WEBP_PRESET_ICON
    case .text: WEBP_PRESET_TEXT
    }
  }
}
#endif
