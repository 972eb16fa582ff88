#if JXL
public import HalcyonImaging
public import Foundation

/// Decodes JPEG XL through libjxl: bare or in its container, still and animated, alpha, every depth.
///
/// libjxl gives whole pictures, so a smaller size takes the memory of the full one for a moment. It converts colours to
/// sRGB itself where the picture is in its own colour space (`XYB`); light beyond white is cut.
public struct JPEGXLDecoder: AnimatedImageDecoder {
  private let renderer = JPEGXLRenderer()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// JPEG XL alone.
  public let formats: Set<ImageFormat> = [.jpegXL]

  /// Reads the header; of an animated image all bytes, since only they tell how many pictures there are.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    do {
      return try bytes.withUnsafeBytes { try JPEGXLHeader($0).info }
    } catch ImageDecodingError.truncated where !isComplete {
      return nil
    }
  }

  /// Decodes a whole file at the wanted size: the first picture where it is animated.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      let header = try JPEGXLHeader(buffer)
      let plan = try DecodingPlan(info: header.info, options: options)
      if options.isCancelled() { throw ImageDecodingError.cancelled }
      let reader = try JPEGXLReader(buffer)
      guard let frame = try reader.next() else {
        throw ImageDecodingError.corrupt(.jpegXL, reason: "it has no picture")
      }
      return try renderer.image(frame.bitmap, of: reader, plan: plan, isCancelled: options.isCancelled)
    }
  }

  /// Opens an animated image; libjxl composes its pictures.
  public func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    let lasting = FileBytes(bytes)
    let header = try JPEGXLHeader(lasting.buffer)
    let plan = try DecodingPlan(info: header.info, options: options)
    return try JPEGXLFrameReader(
      lasting, header: header, plan: plan, renderer: renderer, isCancelled: options.isCancelled)
  }
}
#endif
