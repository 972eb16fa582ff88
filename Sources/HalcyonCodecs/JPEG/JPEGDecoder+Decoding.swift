#if !IMAGEIO
package import HalcyonImaging
package import Foundation

extension JPEGDecoder {
  /// Decodes a file at the target size, or the rows that it has if the options allow a partial image.
  ///
  /// A file that lacks only its end marker has all pixels.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let truncation = PartialImagePolicy(isAccepted: options.allowsPartialImage)
    do {
      return try decode(bytes, truncation: truncation, options: options)
    } catch ImageDecodingError.truncated(.jpeg) where !truncation.isAccepted {
      let lenient = PartialImagePolicy(isAccepted: true)
      let image = try decode(bytes, truncation: lenient, options: options)
      guard !lenient.isFound else { throw ImageDecodingError.truncated(.jpeg) }
      return image
    }
  }

  /// Decodes the bytes that have been received, which are expected to end before the image.
  func decodeReceived(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try decode(bytes, truncation: PartialImagePolicy(isAccepted: true), options: options, isWhole: false)
  }

  /// - Parameter isWhole: Whether the image is expected to be complete.
  private func decode(
    _ bytes: Data, truncation: PartialImagePolicy, options: DecodingOptions, isWhole: Bool = true
  ) throws -> DecodedImage {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.jpeg) }
    return try bytes.withUnsafeBytes { buffer in
      let profile = header.profileParts.profile(in: buffer)
      var options = options
      let isHigh = options.dynamicRange == .high && isWhole
      let map = isHigh ? JPEGGainMap.find(header, in: buffer) : isWhole ? header.hiddenGainMap(in: buffer) : nil
      let gainMap = isHigh ? map?.encoded(for: header, limits: options.limits) : nil
      // The map was made for the colours of the file.
      if gainMap != nil { options.colorSpace = .source }
      let plan = try DecodingPlan(
        info: header.info(with: map), isWide: profile?.isWide ?? false, isInRows: header.isInRows, options: options)
      let (cmyk, colors) = mappings(header, profile: profile, to: plan.colorSpace)
      var file = JPEGFile(
        bytes: truncation.isAccepted ? buffer.readableJPEG : buffer, size: header.size, cmykTransform: cmyk.transform,
        truncation: truncation, isCancelled: options.isCancelled)
      if isWhole, header.isInRows { file.index = index ?? indexes.index(of: file.bytes) }
      let mapFile = map.map { map in
        JPEGFile(
          bytes: UnsafeRawBufferPointer(rebasing: buffer[map.range]), size: map.header.size, cmykTransform: nil,
          truncation: PartialImagePolicy(isAccepted: false), isCancelled: options.isCancelled)
      }
      if let gainMap, let mapFile, header.colorModel != .cmyk, let area = plan.geometry.area, !options.keepsGainMap,
        let image = try image(of: file, area, plan, colors, gainMap, of: mapFile)
      {
        return image
      }
      let image = try plan.image(colors: cmyk.isUnusable ? .unusable : colors, truncation: truncation) {
        guard let area = plan.geometry.area else {
          return try bitmap(of: file, header, plan.geometry, isWhole: isWhole, readsToEnd: plan.readsToEnd)
        }
        if isWhole, !plan.readsToEnd, header.isInRows, isOwn(file, header), let bitmap = try file.pixels(of: area) {
          return bitmap
        }
        return try plan.rows(file.rows(scale: .full), area).bitmap(isCancelled: options.isCancelled)
      }
      guard let gainMap, let map, let mapFile else { return image }
      return try gainMap.added(to: consume image, plan, options) { geometry in
        try bitmap(of: mapFile, map.header, geometry, isWhole: true, readsToEnd: plan.readsToEnd)
      }
    }
  }

  /// An area of the picture with its map applied, in the memory of the result and a few rows; `nil` if either is damaged.
  private func image(
    of file: JPEGFile, _ area: PixelArea, _ plan: DecodingPlan, _ colors: ColorMapping, _ gainMap: EncodedGainMap,
    of mapFile: JPEGFile
  ) throws -> DecodedImage? {
    do {
      let rows = try JPEGGainMapRowSource(of: file, colors: colors, gainMap, of: mapFile)
      let bitmap = try plan.rows(rows, area).bitmap(upright: plan.info.orientation, isCancelled: file.isCancelled)
      guard !file.truncation.isFound else { return nil }
      var info = gainMap.named(plan.info)
      if colors.isUnusable { info.droppedContent.insert(.colorProfile) }
      return DecodedImage(bitmap: bitmap, info: info, file.truncation)
    } catch ImageDecodingError.cancelled {
      throw ImageDecodingError.cancelled
    } catch {
      return nil
    }
  }

  /// The image at a geometry, in its stored orientation.
  ///
  /// - Parameters:
  ///   - isWhole: Whether the image is expected to be complete.
  ///   - readsToEnd: Whether damage after the rows that the geometry needs is an error.
  private func bitmap(
    of file: JPEGFile, _ header: JPEGHeader, _ geometry: ResizeGeometry, isWhole: Bool, readsToEnd: Bool
  ) throws -> Bitmap {
    let (geometry, crop) = geometry.widened(inside: file.size)
    let scale = JPEGScale(for: geometry)
    let size = scale.size(of: file.size)
    func part(_ unit: PixelSize) -> (JPEGPart, Resampler) {
      let (area, geometry) = geometry.scaled(by: scale.factor).part(of: size, unit: unit)
      return (
        JPEGPart(scale: scale, area: area, readsToEnd: readsToEnd),
        Resampler(format: .jpeg, geometry: geometry, graphs: graphs)
      )
    }
    if isWhole {
      let readsRows = readsToEnd || !header.isInRows
      let (part, resampler) = part(
        PixelSize(width: readsRows ? size.width : JPEGPart.plainUnit, height: JPEGPart.plainUnit))
      if let bitmap = try reduced(file, header, resampler, part) { return try bitmap.with(BitmapGeometry(crop)) }
    }
    let (rows, resampler) = part(PixelSize(width: size.width, height: JPEGPart.unit))
    return try resampler.bitmap(isOpaque: true) { try file.planes(rows) }.with(BitmapGeometry(crop))
  }

  /// The picture of a thumbnail at the planned size of the whole image.
  func image(
    ofThumbnail thumbnail: UnsafeRawBufferPointer, _ small: JPEGHeader, of header: JPEGHeader,
    in buffer: UnsafeRawBufferPointer, options: DecodingOptions
  ) throws -> DecodedImage {
    let profile = header.profileParts.profile(in: buffer)
    let plan = try DecodingPlan(info: header.info, isWide: profile?.isWide ?? false, options: options)
    let file = JPEGFile(
      bytes: thumbnail, size: small.size, cmykTransform: nil, truncation: PartialImagePolicy(isAccepted: false),
      isCancelled: options.isCancelled)
    let geometry = plan.geometry.scaled(from: header.size, to: small.size)
    return try plan.image(colors: mappings(header, profile: profile, to: plan.colorSpace).colors, truncation: .found) {
      try Resampler(format: .jpeg, geometry: geometry, graphs: graphs).bitmap(isOpaque: true) {
        try file.planes(file.whole(.full))
      }
    }
  }

  /// The conversion of CMYK rows while they are decoded, and the conversion of the RGBA result.
  private func mappings(
    _ header: JPEGHeader, profile: ColorDescription?, to space: ColorSpace
  ) -> (cmyk: ColorMapping, colors: ColorMapping) {
    guard header.colorModel == .cmyk else {
      return (ColorMapping(), colors.mapping(profile, inRGBA: header.colorModel == .grey, to: space))
    }
    return (colors.mapping(profile, layout: .cmyk8Inverted, to: .sRGB), ColorMapping())
  }

  /// The fewest bytes of files that are decoded without libjpeg: in smaller files, the tables for skipping coefficients take
  /// as long as they save.
  private static var reducedByteCount: Int {
    #if DEBUG && !OPTIMIZED
    // Without optimisation, libjpeg is many times as fast as code in Swift.
    .max
    #else
    1 << 14
    #endif
  }

  /// Whether a file may be decoded without libjpeg.
  private func isOwn(_ file: JPEGFile, _ header: JPEGHeader) -> Bool {
    file.bytes.count >= Self.reducedByteCount && header.isPlain
  }

  /// The image from the coefficients that the scale needs; `nil` if libjpeg has to decode it.
  private func reduced(
    _ file: JPEGFile, _ header: JPEGHeader, _ resampler: Resampler, _ part: JPEGPart
  ) throws -> Bitmap? {
    guard isOwn(file, header), var source = try file.reducedPlanes(part) else { return nil }
    var isFirst = true
    do {
      return try resampler.bitmap(isOpaque: true) {
        if !isFirst { source = try file.reducedPlanes(part) ?? source }
        isFirst = false
        return source
      }
    } catch {
      guard source.isUnusual else { throw error }
      return nil
    }
  }
}

extension JPEGDecoder: FileOpeningDecoder {
  /// Writes a file of several scans, of which each has all parts of the picture, with one scan.
  package func opened(_ file: Data, limits: ImageLimits) throws -> (file: Data, decoder: any ImageDecoder) {
    guard let header = try parse(file) else { throw ImageDecodingError.truncated(.jpeg) }
    var decoder = self
    decoder.index = JPEGIndex()
    // A gain map is another picture after this one.
    if header.isInRows || file.withUnsafeBytes({ JPEGGainMap.find(header, in: $0) }) != nil { return (file, decoder) }
    try limits.check(header.size, format: .jpeg)
    return try JPEGTransform.withOneScan(file).map { ($0, decoder) } ?? (file, self)
  }
}

extension JPEGHeader {
  /// Whether every decoder takes the samples for grey or YCbCr.
  fileprivate var isPlain: Bool {
    colorModel == .grey || colorModel == .yCbCr && adobeTransform != 0 && componentIDs != Array("RGB".utf8)
  }
}
#endif
