#if !IMAGEIO
package import HalcyonImaging
package import Foundation

extension TIFFDecoder {
  /// Decodes the first page of a complete file at the target size, from a smaller version of it if one is large enough.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      guard let header = try TIFFHeaderParser.parse(Bytes(buffer)) else { throw ImageDecodingError.truncated(.tiff) }
      try header.rejectOldJPEG()
      let profile = header.profile.map { ColorDescription.profile(Data(buffer[$0.clamped(to: 0..<buffer.count)])) }
      let plan = try DecodingPlan(info: header.info, isWide: profile?.isWide ?? false, options: options)
      // Strips and tiles after the part that is decoded are not read.
      let isTruncated = plan.readsToEnd && header.isTruncated(byteCount: buffer.count)
      if isTruncated, plan.isCropped { throw ImageDecodingError.truncated(.tiff) }
      if !isTruncated, plan.geometry.reduction > 1, let page = try header.page(for: plan.geometry, in: Bytes(buffer)),
        let small = try? image(of: page, in: buffer, profile, plan.reading(page.size), options)
      {
        return small
      }
      return try image(of: header, in: buffer, profile, plan, options)
    }
  }

  private func image(
    of header: TIFFHeader, in buffer: UnsafeRawBufferPointer, _ profile: ColorDescription?, _ plan: DecodingPlan,
    _ options: DecodingOptions
  ) throws -> DecodedImage {
    if let samples = samples(of: header, profile),
      try TIFFReader(buffer, header, samples: samples) != nil
    {
      let mapping = colors.mapping(samples.hasProfile ? profile : nil, inRGBA: header.isGrey, to: plan.colorSpace)
      return try plan.image(colors: mapping) {
        try plan.bitmap(isOpaque: samples.isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
          guard
            let rows = try TIFFSampleRowSource(
              buffer, header: header, samples: samples, isCancelled: options.isCancelled)
          else { throw ImageDecodingError.corrupt(.tiff, reason: "its layout changes") }
          return rows
        }
      }
    }
    return try plan.image(colors: colors.mapping(profile, inRGBA: header.isGrey, to: plan.colorSpace)) {
      try plan.bitmap(isOpaque: !header.hasAlpha, graphs: graphs, isCancelled: options.isCancelled) {
        try TIFFRowSource(buffer, header: header, isCancelled: options.isCancelled)
      }
    }
  }

  /// The samples of an image that is not read through libtiff's conversion.
  private func samples(of header: TIFFHeader, _ profile: ColorDescription?) -> TIFFSamples? {
    let isCMYK = header.photometric == TIFFHeader.Photometric.separated
    return TIFFSamples(
      header, cmyk: isCMYK ? profile.flatMap { colors.mapping($0, layout: .cmyk8, to: .sRGB).transform } : nil)
  }
}

extension TIFFHeader {
  /// The smallest version of the page with a pixel for each one of the result, if sides were not rounded.
  fileprivate func page(for geometry: ResizeGeometry, in bytes: Bytes) throws -> TIFFHeader? {
    try TIFFHeaderParser.smallerPages(of: self, in: bytes)
      .filter { geometry.scaled(from: size, to: $0.size).reduction >= 0.99 }
      .min { $0.size.width < $1.size.width }
  }
}
#endif
