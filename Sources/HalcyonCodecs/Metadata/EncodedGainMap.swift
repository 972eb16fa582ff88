import HalcyonImaging

/// The gain map of a file, before its samples are decoded.
struct EncodedGainMap {
  /// The size of the map as it is stored.
  let size: PixelSize
  let isGrey: Bool
  let parameters: GainMap.Parameters
  let kind: GainMapKind

  var dynamicRange: EncodedDynamicRange { .gainMap(kind, headroom: parameters.capacityMax) }

  /// Whether the map is one of a picture: of its aspect ratio, and within limits together with it.
  ///
  /// - Parameter isInRows: Whether the picture is decoded row by row, so that it takes little memory.
  func fits(_ picture: PixelSize, _ limits: ImageLimits, _ format: ImageFormat, isInRows: Bool = false) -> Bool {
    guard !parameters.baseIsHDR, size.width > 0, size.height > 0, picture.height > 0,
      (try? limits.check(size, format: format)) != nil,
      size.pixelCount <= max(0, limits.pixelCount - (isInRows ? 0 : picture.pixelCount))
    else { return false }
    // Both sides are rounded to whole samples.
    let ratio = Double(picture.width) / Double(picture.height)
    return abs(Double(size.height) * ratio - Double(size.width)) <= max(1, ratio) + 0.01 * Double(size.width)
  }
}
