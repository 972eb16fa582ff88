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
  /// Encodes three or four times as a rule, and up to eight times, until the file fills 97 % of the limit or the quality is
  /// within 1/64 of the best one. The size of a lossless format does not depend on the quality.
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
    var search = QualitySearch(byteLimit: byteLimit, quality: options.quality, byteCount: best.count)
    if options.isLossless || !format.abilities.isLossy { search.end() }
    var (lower, fitting) = (options, Data?.none)
    while let quality = search.next {
      lower.quality = quality
      try CancellationFlag.checkCurrent()
      let file = try encode(lower)
      search.add(quality, byteCount: file.count)
      if file.count <= byteLimit { fitting = file }
    }
    guard let fitting else {
      throw ImageEncodingError.overByteLimit(format, byteCount: search.least, byteLimit: byteLimit)
    }
    return fitting
  }
}

/// Looks for the best quality within a byte limit: the logarithm of the size is nearly a line over the quality.
private struct QualitySearch {
  /// A file is good enough from this part of the limit.
  private static let goodShare = 0.97
  private static let trialLimit = 7
  /// The growth of the logarithm over all qualities, until two sizes are known.
  private static let usualGrowth = 2.0

  private let byteLimit: Int
  private let tolerance: Double
  /// The best quality that fits, and the lowest that does not.
  private var low: (quality: Double, byteCount: Int)?
  private var high: (quality: Double, byteCount: Int)
  private var growth = Self.usualGrowth
  private var trialCount = 0
  private var hasEnded = false

  init(byteLimit: Int, quality: Double, byteCount: Int) {
    (self.byteLimit, high, tolerance) = (byteLimit, (quality, byteCount), quality / 64)
  }

  /// The bytes of the smallest file that did not fit.
  var least: Int { high.byteCount }

  mutating func end() { hasEnded = true }

  /// The quality of the next trial; `nil` if there is nothing better to be found.
  var next: Double? {
    if hasEnded || trialCount == Self.trialLimit { return nil }
    let excess = log(Double(high.byteCount) / (Double(byteLimit) * (1 + Self.goodShare) / 2))
    guard let low else {
      let quality = high.quality - excess / growth
      return trialCount > 2 || quality < tolerance ? 0 : quality
    }
    if Double(low.byteCount) >= Double(byteLimit) * Self.goodShare || high.quality - low.quality <= tolerance {
      return nil
    }
    let range = high.quality - low.quality
    if trialCount > 3 { return low.quality + range / 2 }
    let share = excess / log(Double(high.byteCount) / Double(low.byteCount))
    return high.quality - range * min(max(share, 0.1), 0.9)
  }

  mutating func add(_ quality: Double, byteCount: Int) {
    trialCount += 1
    if byteCount <= byteLimit {
      low = (quality, byteCount)
    } else {
      // Somewhat less than measured, so that the next trial is more likely to fit.
      let measured = log(Double(high.byteCount) / Double(byteCount)) / (high.quality - quality)
      growth = max(0.2, measured * 0.9)
      high = (quality, byteCount)
      hasEnded = quality == 0
    }
  }
}
