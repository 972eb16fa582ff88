#if IMAGEIO
package import HalcyonImaging
package import Foundation

/// Decodes JPEG XL through ImageIO, where the system has a codec for it (iOS 17, macOS 14).
///
/// Elsewhere decoding throws `ImageDecodingError.corrupt`.
package struct JPEGXLDecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()

  package init() {}

  package let formats: Set<ImageFormat> = [.jpegXL]
  package var decodesRegions: Bool { true }

  /// Reads the header.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    do {
      return try bytes.withUnsafeBytes { try JPEGXLFileHeader(Bytes($0)).info }
    } catch ImageDecodingError.truncated where !isComplete {
      return nil
    }
  }

  /// Decodes a complete file at the target size; of an animation, its first frame.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let header = try bytes.withUnsafeBytes { try JPEGXLFileHeader(Bytes($0)) }
    let info = header.info
    // The header of a file with an ICC profile does not state its gamut.
    let plan = try DecodingPlan(info: info, isWide: header.isWide, options: options)
    return try plan.image(colors: ColorMapping(colorSpace: plan.colorSpace)) {
      try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled).bitmap(of: bytes, plan: plan)
    }
  }
}
#endif
