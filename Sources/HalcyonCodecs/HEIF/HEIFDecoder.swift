#if HEIF
public import HalcyonImaging
public import Foundation

/// Decodes HEIC and HEIF through libheif: the picture that stands for the file, grids and alpha included.
///
/// The stored planes are filtered to the wanted size as they are, so colours are converted for the pixels of the result
/// only. Colours beyond sRGB are cut to the nearest that it has, light beyond white to white. Of a sequence only the
/// still picture is read; Exif's orientation counts for nothing here, as ISO/IEC 23008-12 has it.
public struct HEIFDecoder: ImageDecoder {
  private let renderer = PlanarRenderer()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// HEIC alone, whatever codec is inside.
  public let formats: Set<ImageFormat> = [.heic]

  /// Reads the boxes before the coded pictures.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try header(bytes, isComplete: isComplete)?.info(.heic)
  }

  /// Decodes a whole file at the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try header(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.heic) }
    // libheif 1.15 turns and crops alpha even where it is told to leave pictures as they are, so it does all of it there.
    let drawn = header.hasAlpha ? header.transformed : header
    let plan = try DecodingPlan(info: drawn.info(.heic), options: options)
    if options.isCancelled() { throw ImageDecodingError.cancelled }
    let image = try bytes.withUnsafeBytes { buffer in
      guard try MediaFile(Bytes(buffer), format: .heic).isWhole else { throw ImageDecodingError.truncated(.heic) }
      let picture = try HEIFImage(buffer, header: drawn, isTransformed: header.hasAlpha, limits: options.limits)
      return try renderer.image(picture.samples(), header: drawn, plan: plan, isCancelled: options.isCancelled)
    }
    var info = header.info(.heic)
    info.droppedContent = image.info.droppedContent
    return DecodedImage(bitmap: image.bitmap, info: info)
  }

  private func header(_ bytes: Data, isComplete: Bool) throws -> HEIFImageHeader? {
    try bytes.withUnsafeBytes {
      try HEIFImageHeaderParser.parse(Bytes($0), format: .heic, isComplete: isComplete, prefersSequence: false)
    }
  }
}
#endif
