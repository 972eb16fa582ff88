public import Foundation
import HalcyonSupport

/// Encodes bitmaps. Calls may run concurrently on several threads.
public protocol ImageEncoder: Sendable {
  /// The format that this encoder writes.
  var format: ImageFormat { get }

  /// Encodes a bitmap, whose colour space is stated in the file. Formats without transparency blend it with ``EncodingOptions/background``.
  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data
}

/// Options for encoding an image.
public struct EncodingOptions: Hashable, Sendable {
  /// The quality of lossy formats, from 0 (smallest) to 1 (best); other numbers are clamped. Default: 0.8, also for NaN.
  public var quality: Double {
    get { validQuality.value }
    set { validQuality = Quality(newValue) }
  }
  private var validQuality: Quality
  /// The colour behind transparent pixels if the format does not support transparency. Its alpha is ignored. Default:
  /// white.
  public var background: PixelColor
  /// The metadata to write, as ``MetadataPolicy/keep`` says. Default: `nil`, none.
  ///
  /// The encoders of JPEG, PNG and WebP write it; the others of the library throw
  /// ``ImageEncodingError/metadataNotSupported(_:)``.
  public var metadata: ImageMetadata?
  /// Whether WebP keeps all colours, except for rounding of nearly transparent ones, which bitmaps hold premultiplied; the
  /// quality is then ignored. No other format has both kinds. Default: `false`.
  public var isLossless: Bool
  /// The most colours of PNG and GIF, from 2 to 256, transparency included: an image with more of them is quantised with
  /// dithering, which makes PNG files of photographs about half as large. Default: `nil`, no limit in PNG, 256 in GIF.
  public var colorLimit: Int?

  /// Creates options.
  public init(
    quality: Double = 0.8, background: PixelColor = .white, metadata: ImageMetadata? = nil, isLossless: Bool = false
  ) {
    validQuality = Quality(quality)
    self.background = background
    self.metadata = metadata
    self.isLossless = isLossless
  }
}

/// A quality from 0 to 1.
struct Quality: Hashable, Sendable {
  let value: Double

  init(_ number: Double) { value = number.clamped(to: 0...1, nan: 0.8) }
}

extension ImageEncoder {
  /// Encodes an image, with all frames of its animation where this is an encoder of the library for GIF, WebP or AVIF;
  /// otherwise its still frame.
  ///
  /// Frames are decoded, processed and encoded one after another, so that a long animation takes no more memory for pixels
  /// than a short one. Durations and the number of loops are kept, as far as the format can express them.
  ///
  /// - Throws: ``ImageEncodingError``; errors of the decoder and the processors of an animation.
  public func encode(_ image: DecodedImage, options: EncodingOptions) throws -> Data {
    guard let animation = image.animation, let encoder = self as? any AnimatedImageEncoder else {
      return try encodeStill(image, options: options)
    }
    return try encoder.encode(animation.animation, options: options, nextFrame: animation.frameIterator())
  }

  /// Encodes a bitmap at the best quality that keeps the file within a byte limit.
  ///
  /// Encodes up to eight times, which finds the quality to within 1/64 of the requested one. The size of a lossless
  /// format does not depend on the quality.
  ///
  /// - Parameters:
  ///   - bitmap: The pixels to encode.
  ///   - options: Its quality is the upper bound.
  ///   - byteLimit: The most bytes of the file.
  /// - Throws: ``ImageEncodingError/overByteLimit(_:byteCount:byteLimit:)`` if even quality 0 is too large; errors of
  ///   ``encode(_:options:)``; `CancellationError` between two encodings once a pipeline needs the file no more.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions, byteLimit: Int) throws -> Data {
    try fitting(options, byteLimit: byteLimit) { try encode(bitmap, options: $0) }
  }

  /// Encodes an image at the best quality that keeps the file within a byte limit, with all frames of its animation as
  /// ``encode(_:options:)`` does, which are decoded and encoded up to eight times.
  ///
  /// - Throws: As ``encode(_:options:byteLimit:)`` of a bitmap; errors of the decoder and the processors of an animation.
  public func encode(_ image: DecodedImage, options: EncodingOptions, byteLimit: Int) throws -> Data {
    try fitting(options, byteLimit: byteLimit) { try encode(image, options: $0) }
  }

  /// The file of the best quality within a byte limit; without a limit, the file of the options.
  package func fitting(
    _ options: EncodingOptions, byteLimit: Int?, _ encode: (EncodingOptions) throws -> Data
  ) throws -> Data {
    let best = try encode(options)
    guard let byteLimit, best.count > byteLimit else { return best }
    var lower = options
    lower.quality = 0
    try CancellationFlag.checkCurrent()
    var fitting = try encode(lower)
    guard fitting.count <= byteLimit else {
      throw ImageEncodingError.overByteLimit(format, byteCount: fitting.count, byteLimit: byteLimit)
    }
    var (low, high) = (0.0, options.quality)
    for _ in 0..<6 {
      lower.quality = (low + high) / 2
      try CancellationFlag.checkCurrent()
      let file = try encode(lower)
      if file.count <= byteLimit {
        (fitting, low) = (file, lower.quality)
      } else {
        high = lower.quality
      }
    }
    return fitting
  }
}
