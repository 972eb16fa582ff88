public import Foundation
public import HalcyonImaging
import HalcyonSupport

/// The decoders and encoders included in Halcyon, for a pipeline's configuration, and to use without a pipeline.
///
/// ```swift
/// let decoder = try StandardCodecs.decoder(for: .jpeg)
/// let info = try decoder.probe(bytes, isComplete: true)
/// ```
public enum StandardCodecs {
  /// JPEG, PNG, GIF, WebP, BMP, ICO and TIFF; with package traits also AVIF, HEIC (`HEIF`), JPEG XL (`JXL`) and SVG.
  ///
  /// On Apple's systems AVIF, HEIC and JPEG XL without traits, and no SVG.
  public static let decoders: [any ImageDecoder] = RasterDecoders.all + drawingDecoders
  /// JPEG, PNG, WebP and GIF; with package traits also AVIF and JPEG XL (`JXL`).
  ///
  /// On Apple's systems JPEG, PNG, GIF and, where the system has an encoder for it, HEIC: they have none for WebP.
  public static let encoders: [any ImageEncoder] = EncoderSettings().encoders

  /// The formats that ``decoders`` read.
  public static let readable = Set(decoders.flatMap(\.formats))

  /// The formats that ``encoders`` write.
  public static let writable = Set(encoders.map(\.format))

  private static let table = DecoderTable(decoders)

  /// The decoder of a format.
  ///
  /// - Throws: ``ImageDecodingError/unsupportedFormat(_:)`` if this build has none.
  public static func decoder(for format: ImageFormat) throws(ImageDecodingError) -> any ImageDecoder {
    try table.decoder(for: format)
  }

  /// The decoder of the format that the data is in.
  static func decoder(of data: Data) throws(ImageDecodingError) -> any ImageDecoder {
    guard let format = table.format(sniffing: data, isComplete: true) else { throw .unknownFormat }
    return try decoder(for: format)
  }

  /// The encoder of a format.
  ///
  /// - Throws: ``ImageEncodingError/unsupportedFormat(_:)`` if this build has none.
  public static func encoder(for format: ImageFormat) throws(ImageEncodingError) -> any ImageEncoder {
    try encoders.encoder(for: format)
  }

  /// Encodes an animated GIF on the calling thread; every frame has its own colour table.
  ///
  /// - Parameters:
  ///   - frames: At least one frame, all of the same size. Durations are rounded to hundredths of a second.
  ///   - loopCount: The number of times the animation plays, 1 to 65,536; `nil` for endless.
  /// - Throws: ``ImageEncodingError/tooLarge(_:_:)`` if a side is over 65,535 pixels;
  ///   ``ImageEncodingError/failed(_:reason:)`` if there are no frames, or frames of different sizes.
  public static func gif(_ frames: [AnimationFrame], loopCount: Int? = nil) throws -> Data {
    var rest = frames[...]
    let animation = AnimationInfo(frameCount: max(1, frames.count), loopCount: loopCount)
    return try GIFEncoder().encode(animation, options: EncodingOptions()) { rest.popFirst() }
  }

  /// An SVG file that browsers may show wherever it is, in UTF-8 and not compressed, on a thread of the library.
  ///
  /// Scripts, event handlers, elements of other languages such as `<foreignObject>`, and references out of the document are
  /// left out; links of `<a>`, without `ping` and other attributes that send requests, embedded images and fonts, style
  /// sheets and animations stay.
  ///
  /// - Throws: ``ImageDecodingError`` if it is not well-formed, or without the package trait `SVG`.
  public static func sanitizedSVG(_ file: Data) async throws -> Data {
    #if SVG && !IMAGEIO
    try await codecThreads.run { _ in try SVGDecoder().sanitized(file) }
    #else
    throw ImageDecodingError.unsupportedFormat(.svg)
    #endif
  }

  private static var drawingDecoders: [any ImageDecoder] {
    #if SVG && !IMAGEIO
    [SVGDecoder()]
    #else
    []
    #endif
  }
}
