public import Foundation

/// Decodes images.
///
/// A conformer keeps these laws:
/// - It never traps, hangs or reads out of bounds, whatever the data is.
/// - It checks ``DecodingOptions/limits`` before it allocates memory for pixels.
/// - It applies the orientation of the file exactly once, and returns an image of ``DecodingOptions/outputSize(for:)``.
/// - It states the colour space of the pixels (``Bitmap/colorSpace``). Pipelines convert others than the requested one.
///   A vector image, which has no pixels of its own, fills the target size even if that is larger.
/// - Calls may run concurrently on several threads.
public protocol ImageDecoder: Sendable {
  /// Identifies the decoder and the values of all its settings, as part of the cache key of requests that have a decoder
  /// of their own: decoders with the same identifier decode the same bytes to the same pixels.
  ///
  /// Default: a description of the decoder with its stored properties, which suits values. A class with settings needs
  /// an identifier of its own.
  var identifier: String { get }

  /// The formats that this decoder reads.
  var formats: Set<ImageFormat> { get }

  /// Whether ``decode(_:options:)`` returns only the ``DecodingOptions/region`` of the options. Default: `false`; the image
  /// is then decoded whole, and cropped, by ``image(from:options:)``, which pipelines call.
  var decodesRegions: Bool { get }

  /// The format of a file that begins with these bytes, if it is a ``ImageFormat/custom(_:)`` one of ``formats``.
  ///
  /// The decoders of a pipeline are asked in their order, before the built-in formats are detected: a custom format can
  /// begin like one of them. Called for every image, so it should be fast. Default: `nil`.
  ///
  /// - Parameter prefix: The first 1,024 bytes or more, or the whole file if it is shorter.
  func format(sniffing prefix: Data) -> ImageFormat?

  /// Reads the properties of an image from its first bytes, without decoding it.
  ///
  /// - Parameters:
  ///   - bytes: The first bytes of the file, or all of them.
  ///   - isComplete: Whether `bytes` is the whole file.
  /// - Returns: The properties, or `nil` if more bytes are needed; never `nil` for a complete file.
  func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo?

  /// Decodes a complete file, or a region of it, at the target size.
  func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage

  /// Reads the metadata of a complete file without decoding it. Damaged metadata is left out, not an error.
  ///
  /// Default: only what ``probe(_:isComplete:)`` returns.
  func metadata(of bytes: Data) throws -> ImageMetadata
}

extension ImageDecoder {
  /// Decodes whole images only.
  public var decodesRegions: Bool { false }

  /// Detects no custom format.
  public func format(sniffing prefix: Data) -> ImageFormat? { nil }

  /// The properties of the image, without Exif, XMP and ICC profile.
  public func metadata(of bytes: Data) throws -> ImageMetadata { ImageMetadata(info: try wholeInfo(of: bytes)) }

  /// The properties of the image in a complete file.
  package func wholeInfo(of bytes: Data) throws -> ImageInfo {
    guard let info = try probe(bytes, isComplete: true) else {
      throw ImageDecodingError.truncated(formats.first ?? .custom("unknown"))
    }
    return info
  }

  /// Whether the decoder itself crops to a region.
  package func decodes(_ region: PixelArea?) -> Bool { region == nil || decodesRegions }

  /// The name of the type and the stored properties; of a class only the name.
  public var identifier: String { String(reflecting: self) }
}

/// Options for decoding an image.
public struct DecodingOptions: Sendable {
  /// The target size. Default: the original size.
  public var size: TargetSize
  /// The part of the image to decode, in pixels of the whole image with its orientation applied. Default: `nil`, all of it.
  ///
  /// ``size`` applies to the region as if that were the whole image. A region that is empty or not inside the image throws
  /// ``ImageDecodingError/invalidRegion(_:of:)``.
  public var region: PixelArea?
  /// The colour space of the pixels. Default: sRGB.
  public var colorSpace: TargetColorSpace
  /// The range of luminances of the pixels. Default: ``DynamicRange/standard``.
  ///
  /// With ``DynamicRange/high``, a file of high dynamic range is decoded to half floats (``Bitmap/dynamicRange``), and
  /// ``colorSpace`` has no effect on it. The animation of a file stays standard.
  public var dynamicRange = DynamicRange.standard
  /// Whether a gain map is returned beside the standard picture (``DecodedImage/gainMap``) in the colour space of the file,
  /// rather than applied. No effect with the standard range.
  package var keepsGainMap = false
  /// The limits for the image.
  public var limits: ImageLimits
  /// Whether a file that is truncated, or damaged in its pixels, is decoded as far as possible. Default: `false`, which
  /// throws ``ImageDecodingError/truncated(_:)`` or ``ImageDecodingError/corrupt(_:reason:)``.
  ///
  /// ``DecodedImage/isPartial`` marks such an image. Missing pixels are transparent; in JPEG, those in no scan are
  /// grey. JPEG, PNG, GIF, BMP and WebP are decoded in part; decoders of other formats throw in any case, and so do those
  /// whose file is damaged before its first row. A file that lacks only what follows its pixels is not partial.
  public var allowsPartialImage: Bool
  /// Whether an animated image keeps its encoded data for playback, rather than only a still frame. Default: `true`.
  ///
  /// Applies to ``ImageDecoder/image(from:options:)``, which pipelines call. ``ImageDecoder/decode(_:options:)`` always
  /// returns only the still frame.
  public var keepsAnimation: Bool
  /// Called repeatedly while decoding; once it returns true, the decoder throws ``ImageDecodingError/cancelled``.
  ///
  /// The decoders of AVIF, HEIC and JPEG XL are single calls of a library: they end after the frame that is being decoded.
  /// An SVG drawing ends on a thread of its own, or is killed with its helper.
  public var isCancelled: @Sendable () -> Bool

  /// Creates options.
  public init(
    size: TargetSize = .original, region: PixelArea? = nil, limits: ImageLimits = ImageLimits(),
    allowsPartialImage: Bool = false,
    keepsAnimation: Bool = true, colorSpace: TargetColorSpace = .sRGB,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.size = size
    self.region = region
    self.limits = limits
    self.allowsPartialImage = allowsPartialImage
    self.keepsAnimation = keepsAnimation
    self.colorSpace = colorSpace
    self.isCancelled = isCancelled
  }

  /// The options for the whole image at its original size.
  package var ofWholeImage: DecodingOptions {
    var whole = self
    (whole.size, whole.region) = (.original, nil)
    return whole
  }

  /// The size of the decoded image, in pixels.
  ///
  /// - Parameter source: The size of the whole image with its orientation applied, both sides at least 1. Of a vector
  ///   image, the size at which it fills the target.
  /// - Throws: ``ImageDecodingError/invalidTargetSize(_:)`` if a side of ``size`` is below 1, and
  ///   ``ImageDecodingError/invalidRegion(_:of:)``.
  public func outputSize(for source: PixelSize) throws(ImageDecodingError) -> PixelSize {
    try size.geometry(for: source, region: region).outputSize
  }
}
