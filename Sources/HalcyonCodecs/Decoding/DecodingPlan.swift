import HalcyonImaging

/// What has to be drawn of a stored image, once the wanted size and the limits have been checked.
struct DecodingPlan {
  let info: ImageInfo
  /// In stored pixels, before the image is turned upright.
  let geometry: ResizeGeometry

  init(info: ImageInfo, options: DecodingOptions) throws(ImageDecodingError) {
    guard options.size.isValid else { throw .invalidTargetSize(options.size) }
    try options.limits.check(info.storedSize, format: info.format)
    self.info = info
    let geometry = options.size.geometry(for: info.pixelSize)
    try options.limits.check(geometry.outputSize, format: info.format)
    self.geometry = info.orientation.storedGeometry(for: geometry, storedSize: info.storedSize)
  }

  /// Whether the stored pixels are the result, but for their orientation.
  var isWholeImage: Bool {
    let size = info.storedSize
    return geometry.outputSize == size
      && geometry.window == PixelRectangle(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }

  /// Turns the stored bitmap that `draw` makes upright, and its colours into sRGB.
  func image(
    colors: ColorMapping = .none, truncation: PartialImagePolicy? = nil, _ draw: () throws -> Bitmap
  ) throws -> DecodedImage {
    do {
      var bitmap = try draw()
      if let transform = colors.transform { try bitmap.convertColors(with: transform) }
      var info = info
      if colors.isUnusable { info.droppedContent.insert(.colorProfile) }
      let upright = try bitmap.upright(from: info.orientation)
      return DecodedImage(bitmap: upright, info: info, isPartial: truncation?.isFound ?? false)
    } catch BitmapError.outOfMemory(let size) {
      throw ImageDecodingError.outOfMemory(size)
    }
  }
}

extension DecodingPlan {
  /// The stored picture as the plan wants it, drawn while its rows arrive.
  ///
  /// - Parameter rows: Opens the picture at its first row. It may be asked twice.
  func bitmap(
    isOpaque: Bool, graphs: ResampleGraphCache, isCancelled: @escaping () -> Bool, rows: () throws -> any RowSource
  ) throws -> Bitmap {
    if isWholeImage { return try rows().bitmap(isCancelled: isCancelled) }
    let factor = BoxShrink.factor(for: geometry)
    let resampler = Resampler(
      format: info.format, geometry: geometry.scaled(by: 1 / Double(factor)), graphs: graphs)
    return try resampler.bitmap(isOpaque: isOpaque) {
      let source = try rows()
      let shrunk = factor == 1 ? source : BoxShrink(source, factor: factor, isCancelled: isCancelled)
      return RowPlaneSource(shrunk, isCancelled: isCancelled)
    }
  }
}

/// What is done about a file that ends early, and whether it did. For one decode, on one thread.
final class PartialImagePolicy {
  /// Whether the part that is there is drawn; an error otherwise.
  let isAccepted: Bool
  var isFound = false

  init(isAccepted: Bool) {
    self.isAccepted = isAccepted
  }
}
