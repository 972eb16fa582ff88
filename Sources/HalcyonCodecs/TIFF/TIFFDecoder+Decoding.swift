#if !IMAGEIO
public import HalcyonImaging
public import Foundation

extension TIFFDecoder {
  /// Decodes the first page of a complete file at the target size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      guard let header = try TIFFHeaderParser.parse(Bytes(buffer)) else { throw ImageDecodingError.truncated(.tiff) }
      try header.rejectOldJPEG()
      let plan = try DecodingPlan(info: header.info, options: options)
      let profile = header.profile.map { ColorDescription.profile(Data(buffer[$0.clamped(to: 0..<buffer.count)])) }
      if let rows = try cmykRows(buffer, header: header, profile: profile) {
        return try plan.image {
          try plan.bitmap(isOpaque: true, graphs: graphs, isCancelled: options.isCancelled, rows: rows)
        }
      }
      return try plan.image(colors: colors.mapping(profile, inRGBA: header.isGrey)) {
        try plan.bitmap(isOpaque: !header.hasAlpha, graphs: graphs, isCancelled: options.isCancelled) {
          try TIFFRowSource(buffer, header: header, isCancelled: options.isCancelled)
        }
      }
    }
  }

  /// The rows of a CMYK image with a profile; `nil` for any other image.
  private func cmykRows(
    _ bytes: UnsafeRawBufferPointer, header: TIFFHeader, profile: ColorDescription?
  ) throws(ImageDecodingError) -> (() throws -> any RowSource)? {
    guard header.photometric == TIFFHeader.Photometric.separated, let profile,
      let transform = colors.mapping(profile, layout: .cmyk8).transform,
      try TIFFReader(bytes, size: header.size).hasPlainCMYK
    else { return nil }
    return { try TIFFCMYKRowSource(bytes, header: header, transform: transform) }
  }
}
#endif
