#if SVG
public import HalcyonImaging
public import Foundation

/// Draws SVG through librsvg at the wanted size, larger than its own where that is wanted: nothing is resampled.
///
/// Scripts are not run, and nothing outside the file is read: no other files, no addresses, no style sheets. A drawing
/// without a size has that of its view box, else 300x150 pixels, as in browsers. Drawing cannot be interrupted once it
/// has begun.
public struct SVGDecoder: ImageDecoder {
  /// Creates a decoder; it holds nothing.
  public init() {}

  /// SVG alone.
  public let formats: Set<ImageFormat> = [.svg]

  /// Reads up to the end of the tag that opens the drawing.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let size = try bytes.withUnsafeBytes { try SVGHeaderParser.size(of: $0) }
    if size == nil, isComplete { throw ImageDecodingError.truncated(.svg) }
    return size.map { ImageInfo(format: .svg, storedSize: $0, hasAlpha: true) }
  }

  /// Draws a whole file at the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let info = try probe(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.svg) }
    guard options.size.isValid else { throw ImageDecodingError.invalidTargetSize(options.size) }
    try options.limits.check(info.storedSize, format: .svg)
    let scale = options.size.enlargement(of: info.storedSize)
    let drawing = ScaledDrawing(size: info.storedSize, scale: scale, target: options.size)
    try options.limits.check(drawing.outputSize, format: .svg)
    if options.isCancelled() { throw ImageDecodingError.cancelled }
    do {
      let bitmap = try bytes.withUnsafeBytes { buffer in
        try SVGComplexity.check(buffer)
        return try SVGDocument(buffer).draw(drawing)
      }
      return DecodedImage(bitmap: bitmap, info: info)
    } catch BitmapError.outOfMemory(let size) {
      throw ImageDecodingError.outOfMemory(size)
    }
  }
}
#endif
