extension Bitmap {
  /// The bitmap in a colour space, in which wider colours become the nearest ones; the bitmap itself if it has that space.
  /// Half floats become bytes for sRGB, and stay for Display P3, whose primaries they have.
  ///
  /// Takes about 2 milliseconds for each megapixel, with alpha 10.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public func converted(to target: ColorSpace) throws -> Bitmap {
    guard target != colorSpace else { return self }
    if dynamicRange == .high { return try inStandardRange().converted(to: target) }
    let tables = ColorTables.converting(to: target)
    return try withUnsafeBytes { source in
      try Bitmap(size: size, isOpaque: isOpaque, colorSpace: target) { result in
        guard let from = source.baseAddress, let to = result.baseAddress else { return }
        if isOpaque { return tables.convert(from, to: to, count: size.pixelCount) }
        for start in stride(from: 0, to: result.count, by: 4) {
          let color = tables.converted(
            SIMD4(
              UInt32(source[start]), UInt32(source[start + 1]), UInt32(source[start + 2]), UInt32(source[start + 3])))
          for channel in 0..<4 { result[start + channel] = UInt8(color[channel]) }
        }
      }
    }
  }
}

extension Bitmap {
  /// The bitmap in the space that a request asks for; half floats stay as they are.
  package func converted(for target: TargetColorSpace) throws -> Bitmap {
    switch target {
    case _ where dynamicRange == .high: self
    case .source: self
    case .sRGB: try converted(to: .sRGB)
    case .displayP3: try converted(to: .displayP3)
    }
  }
}

extension PixelColor {
  /// The channels of this sRGB colour in a colour space, for a processor that draws it.
  public func converted(to space: ColorSpace) -> PixelColor {
    guard space != .sRGB else { return self }
    let color = ColorTables.converting(to: space).converted(SIMD4(red, green, blue, alpha))
    return PixelColor(red: color.x, green: color.y, blue: color.z, alpha: color.w)
  }
}
