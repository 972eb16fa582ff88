#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// The images inside a document, in formats that librsvg can always load: PNG and JPEG.
///
/// Other formats, and images in other colours, are decoded and embedded as PNG, and drawings are drawn at about the size at which they are shown.
struct SVGEmbeddedImages {
  /// The most bytes of PNG files that are made for one document.
  private static let byteLimit = 64 << 20
  /// How deep drawings can be inside each other.
  private static let depthLimit = 4
  /// Estimates of the time for a pixel, in the units of ``SVGCost``.
  private static let (decodingUnits, conversionUnits) = (20.0, 100.0)
  /// The cost of a drawing inside, with its thread and its parsers.
  private static let drawingUnits = 1e6

  let limits: ImageLimits
  /// The size of the whole drawing, which is the most that an inner drawing takes.
  let canvas: PixelSize
  /// The converted images, by their sources.
  private var converted: [Source: String] = [:]

  private struct Source: Hashable {
    let bytes: Data
    let size: TargetSize
  }

  init(limits: ImageLimits, canvas: PixelSize) {
    (self.limits, self.canvas) = (limits, canvas)
  }

  /// The natural size of an image, and a URL with its bytes.
  struct Image {
    let size: SVGSize
    let url: String
  }

  /// The image of a `data` URL; `nil` if it is not one, or cannot be decoded, which the budget records.
  ///
  /// - Parameter shownSize: The pixels that it takes in the drawing, at most.
  /// - Throws: If a limit is exceeded.
  mutating func image(
    _ url: String, shownSize: (SVGSize) -> SVGSize, _ budget: inout SVGBudget
  ) throws -> Image? {
    guard let bytes = Self.bytes(of: url) else { return nil }
    do {
      guard let format = ImageFormat(sniffing: bytes) else { throw ImageDecodingError.unknownFormat }
      if format == .svg { return try drawing(bytes, shownSize, &budget) }
      return try image(bytes, format, &budget)
    } catch let error as ImageDecodingError where Self.isDamage(error) {
      budget.droppedContent.insert(.embeddedImages)
      return nil
    }
  }

  /// Whether the image cannot be decoded, rather than that it exceeds a limit.
  private static func isDamage(_ error: ImageDecodingError) -> Bool {
    switch error {
    case .unknownFormat, .unsupportedFormat, .corrupt, .truncated: true
    case .unsupportedFeature(let format, _): format != .svg
    default: false
    }
  }

  private mutating func image(
    _ bytes: Data, _ format: ImageFormat, _ budget: inout SVGBudget
  ) throws -> Image {
    guard let decoder = RasterDecoders.all.first(where: { $0.formats.contains(format) }) else {
      throw ImageDecodingError.unsupportedFormat(format)
    }
    let info = try decoder.wholeInfo(of: bytes)
    try add(info.pixelSize, format, &budget)
    let size = SVGSize(width: Double(info.pixelSize.width), height: Double(info.pixelSize.height))
    if format == .png || format == .jpeg, !info.hasColorProfile, info.colorModel != .cmyk {
      return Image(size: size, url: Self.url(format, bytes))
    }
    let limits = limits
    let url = try converted(Source(bytes: bytes, size: .original), &budget) { budget in
      try budget.charge(Double(info.pixelSize.pixelCount) * Self.conversionUnits)
      return try decoder.decode(bytes, options: DecodingOptions(limits: limits, keepsAnimation: false)).bitmap
    }
    return Image(size: size, url: url)
  }

  private mutating func drawing(
    _ bytes: Data, _ shownSize: (SVGSize) -> SVGSize, _ budget: inout SVGBudget
  ) throws -> Image {
    guard budget.depth < Self.depthLimit else { throw ImageDecodingError.unsupportedFormat(.svg) }
    guard let size = try SVGHeaderParser.size(of: SVGFile.head(of: bytes)) else {
      throw ImageDecodingError.truncated(.svg)
    }
    let shown = shownSize(size).pixels
    let target = TargetSize.fit(width: min(shown.width, canvas.width), height: min(shown.height, canvas.height))
    let layout = try SVGLayout(size: size, target: target.isValid ? target : .original, limits: limits)
    try add(layout.outputSize, .svg, &budget)
    let drawing = SVGDrawing(size: size, layout: layout, limits: limits)
    let url = try converted(Source(bytes: bytes, size: target), &budget) { budget in
      try budget.charge(Self.drawingUnits + Double(layout.outputSize.pixelCount) * Self.conversionUnits)
      budget.depth += 1
      defer { budget.depth -= 1 }
      return try drawing.bitmap(of: bytes, &budget)
    }
    return Image(size: size, url: url)
  }

  /// Adds the pixels of an image, which librsvg decodes.
  private func add(
    _ size: PixelSize, _ format: ImageFormat, _ budget: inout SVGBudget
  ) throws(ImageDecodingError) {
    try limits.check(size, format: format)
    budget.embeddedPixelCount += size.pixelCount
    try budget.charge(Double(size.pixelCount) * Self.decodingUnits)
    guard budget.embeddedPixelCount <= limits.pixelCount else {
      throw SVGSanitizer.refused("images of over \(limits.pixelCount) pixels together inside it")
    }
  }

  /// The URL of the PNG file of a bitmap, which is made once.
  private mutating func converted(
    _ source: Source, _ budget: inout SVGBudget, bitmap: (inout SVGBudget) throws -> Bitmap
  ) throws -> String {
    let url = try converted[source] ?? Self.url(.png, Self.file(of: bitmap(&budget)))
    converted[source] = url
    budget.embeddedByteCount += url.utf8.count / 4 * 3
    guard budget.embeddedByteCount <= Self.byteLimit else {
      throw SVGSanitizer.refused("images of over \(Self.byteLimit) bytes together inside it")
    }
    return url
  }

  private static func file(of bitmap: Bitmap) throws(ImageDecodingError) -> Data {
    do {
      return try PNGEncoder().encode(bitmap, options: EncodingOptions())
    } catch {
      throw .outOfMemory(bitmap.size)
    }
  }

  private static func url(_ format: ImageFormat, _ bytes: Data) -> String {
    "data:\(format.mediaType);base64,\(bytes.base64EncodedString())"
  }

  /// The data of a `data` URL (RFC 2397).
  private static func bytes(of url: String) -> Data? {
    let trimmed = Substring(SVGStyleScanner.trimmed(Array(url.utf8)[...])).utf8
    guard Substring(trimmed.prefix(5)).lowercased() == "data:", let comma = trimmed.firstIndex(of: UInt8(ascii: ","))
    else { return nil }
    let body = String(Substring(trimmed[trimmed.index(after: comma)...]))
    guard let decoded = body.removingPercentEncoding else { return Data() }
    guard Substring(trimmed[..<comma].suffix(7)).lowercased() == ";base64" else { return Data(decoded.utf8) }
    return Data(base64Encoded: decoded, options: .ignoreUnknownCharacters) ?? Data()
  }
}
#endif
