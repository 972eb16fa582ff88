#if IMAGEIO
package import HalcyonImaging
package import Foundation

extension TIFFDecoder {
  /// Decodes the first page of a complete file at the target size.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try bytes.withUnsafeBytes({ try TIFFHeaderParser.parse(Bytes($0)) }) else {
      throw ImageDecodingError.truncated(.tiff)
    }
    try header.rejectOldJPEG()
    let profile = bytes.withUnsafeBytes { buffer in
      header.profile.map { Data(buffer[$0.clamped(to: 0..<buffer.count)]) }
    }
    let isWide = profile.map { ColorDescription.profile($0).isWide } ?? false
    let plan = try DecodingPlan(info: header.info, isWide: isWide, options: options)
    if header.isTruncated(byteCount: bytes.count) { throw ImageDecodingError.truncated(.tiff) }
    return try plan.image(colors: .bySystem(profile, model: header.info.colorModel, to: plan.colorSpace)) {
      try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled)
        .bitmap(of: bytes, plan: plan)
    }
  }
}
#endif
