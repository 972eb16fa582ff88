public import Foundation

/// Turns encoded bytes into pixels.
///
/// A conformer keeps these laws:
/// - It never traps, hangs or reads outside the bytes, whatever they are.
/// - It checks ``DecodingOptions/limits`` before it takes memory for pixels.
/// - It applies the orientation of the file exactly once, and returns `options.size.geometry(for:).outputSize` pixels.
///   A drawing, which has no pixels of its own, fills the wanted size even where that is larger.
/// - Calls may run at once on several threads.
public protocol ImageDecoder: Sendable {
  /// The formats that this decoder reads.
  var formats: Set<ImageFormat> { get }

  /// Reads the facts about an image from its first bytes, without decoding it.
  ///
  /// - Parameters:
  ///   - bytes: The beginning of the file, or all of it.
  ///   - isComplete: Whether `bytes` is the whole file.
  /// - Returns: The facts, or `nil` when more bytes are needed; never `nil` for a complete file.
  func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo?

  /// Decodes a whole file at the wanted size.
  func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage
}

/// How an image is decoded.
public struct DecodingOptions: Sendable {
  /// The size wanted. Default: the original one.
  public var size: TargetSize
  /// What the image may be at most.
  public var limits: ImageLimits
  /// Whether a file that ends early gives the part that is there. Default: no, it throws
  /// ``ImageDecodingError/truncated(_:)``.
  ///
  /// ``DecodedImage/isPartial`` tells such a picture. What is missing is transparent, in JPEG grey where no scan has it.
  /// Decoders of formats that make no sense in part throw all the same.
  public var allowsPartialImage: Bool
  /// Whether an animated image is kept with what it takes to play it; if not, only its still picture is. Default: `true`.
  ///
  /// ``ImageDecoder/decode(_:options:)`` gives the still picture in any case;
  /// ``ImageDecoder/image(from:options:)``, which pipelines call, looks at this.
  public var keepsAnimation: Bool
  /// Asked now and then while decoding; once it says yes the decoder throws ``ImageDecodingError/cancelled``.
  public var isCancelled: @Sendable () -> Bool

  /// Creates options.
  public init(
    size: TargetSize = .original, limits: ImageLimits = ImageLimits(), allowsPartialImage: Bool = false,
    keepsAnimation: Bool = true,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.size = size
    self.limits = limits
    self.allowsPartialImage = allowsPartialImage
    self.keepsAnimation = keepsAnimation
    self.isCancelled = isCancelled
  }
}
