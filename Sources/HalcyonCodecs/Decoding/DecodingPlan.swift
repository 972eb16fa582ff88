import HalcyonImaging

/// The geometry for decoding an image, after its target size and limits have been checked.
struct DecodingPlan {
  let info: ImageInfo
  /// The colour space of the result.
  let colorSpace: ColorSpace
  /// The range of the result, if the file has a high one. That of animations is standard.
  let dynamicRange: DynamicRange
  /// In stored pixels, before the orientation is applied.
  private(set) var geometry: ResizeGeometry
  /// The size of the picture that is read.
  private var sourceSize: PixelSize
  /// Whether the file is read to its end, so that damage there is an error; otherwise only up to the region.
  let readsToEnd: Bool
  private let isCancelled: @Sendable () -> Bool

  /// - Parameters:
  ///   - isWide: Whether the file states a wider gamut than sRGB.
  ///   - isInRows: Whether the file is decoded row by row, so that it takes the memory of the result and a few rows.
  init(
    info: ImageInfo, isWide: Bool = false, isInRows: Bool = false, options: DecodingOptions
  ) throws(ImageDecodingError) {
    let geometry = try options.size.geometry(for: info.pixelSize, region: options.region)
    try options.limits.check(info.storedSize, format: info.format, isInRows: isInRows)
    self.info = info
    sourceSize = info.storedSize
    colorSpace = options.colorSpace.resolved(isWide: isWide)
    dynamicRange = info.frameCount == 1 ? options.dynamicRange : .standard
    isCancelled = options.isCancelled
    readsToEnd = options.region == nil
    try options.limits.check(geometry.outputSize, format: info.format)
    self.geometry = info.orientation.storedGeometry(for: geometry, storedSize: info.storedSize)
  }

  /// The same plan for a smaller version of the image.
  func reading(_ size: PixelSize) -> DecodingPlan {
    var plan = self
    (plan.geometry, plan.sourceSize) = (geometry.scaled(from: sourceSize, to: size), size)
    return plan
  }

  /// Whether the whole image is decoded at its stored size, without resampling.
  var isWholeImage: Bool { geometry.outputSize == info.storedSize && !isCropped }

  /// Whether a part of the image is not decoded.
  var isCropped: Bool {
    let size = info.storedSize
    return geometry.window != PixelRectangle(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }

  /// How a signal becomes pixels.
  func mapped(_ range: HighDynamicRange) -> HighDynamicRange {
    dynamicRange == .high ? range.kept : range.mapped(to: colorSpace)
  }

  /// Whether the codec need not smooth the edges of blocks, which saves a quarter to a half of its time: from a reduction
  /// to a third on, the blocks are too small for their edges to be seen.
  var skipsLoopFilter: Bool { geometry.reduction >= 3 }

  /// Converts the colours of the stored bitmap returned by `draw`, and rotates it upright.
  func image(
    colors: ColorMapping = ColorMapping(), truncation: PartialImagePolicy? = nil, _ draw: () throws -> Bitmap
  ) throws -> DecodedImage {
    var bitmap = try draw()
    #if !IMAGEIO
    if let transform = colors.transform { try bitmap.convertColors(with: transform, isCancelled: isCancelled) }
    #endif
    var info = info
    switch bitmap.dynamicRange {
    case .standard: bitmap.colorSpace = colors.colorSpace
    case .high: info.droppedContent.subtract([.highDynamicRange, .gainMap])
    }
    if colors.isUnusable { info.droppedContent.insert(.colorProfile) }
    let upright = try bitmap.upright(from: info.orientation)
    return DecodedImage(bitmap: upright, info: info, truncation)
  }
}

extension DecodingPlan {
  /// The rows of an area of the stored image.
  func rows(_ whole: any RowSource, _ area: PixelArea) throws(ImageDecodingError) -> any RowSource {
    guard whole.size == sourceSize else { throw .wrongSize(info.format, whole.size, stated: sourceSize) }
    if area.size == whole.size { return whole }
    return try CroppedRowSource(whole, to: area, readsToEnd: readsToEnd, isCancelled: isCancelled)
  }

  /// The stored image, cropped and resampled to the plan's geometry while its rows are decoded.
  ///
  /// - Parameter rows: Opens the image at its first row; called once or twice.
  func bitmap(
    isOpaque: Bool, dynamicRange: DynamicRange = .standard, graphs: ResampleGraphCache,
    isCancelled: @escaping () -> Bool,
    rows: () throws -> any RowSource
  ) throws -> Bitmap {
    if let area = geometry.area { return try self.rows(rows(), area).bitmap(isCancelled: isCancelled) }
    let factor = BoxShrink.factor(reduction: geometry.reduction)
    let (area, geometry) = geometry.part(of: sourceSize, unit: PixelSize(width: factor, height: factor))
    let resampler = RowResampler(format: info.format, geometry: geometry, graphs: graphs, isCancelled: isCancelled)
    return try resampler.bitmap(isOpaque: isOpaque, dynamicRange: dynamicRange) { try self.rows(rows(), area) }
  }
}

extension DecodedImage {
  /// An image of a file of which a decoder may have missed or repaired some data.
  init(bitmap: Bitmap, info: ImageInfo, _ truncation: PartialImagePolicy?) {
    self.init(bitmap: bitmap, info: info, isPartial: truncation?.isFound ?? false)
    if truncation?.isDamaged == true { facts.isDamaged = true }
  }
}

/// Whether a truncated file is decoded partially, and whether this file is truncated or damaged.
///
/// For one decode, on one thread.
final class PartialImagePolicy {
  /// Whether a truncated file gives a partial image instead of an error.
  let isAccepted: Bool
  /// Set once the file turns out to be truncated.
  var isFound = false
  /// Set once the decoder has made pixels of damaged data.
  var isDamaged = false

  init(isAccepted: Bool) {
    self.isAccepted = isAccepted
  }

  /// For the beginning of a file, which is known to be truncated.
  static var found: PartialImagePolicy {
    let policy = PartialImagePolicy(isAccepted: true)
    policy.isFound = true
    return policy
  }
}

extension ImageDecodingError {
  static func wrongSize(_ format: ImageFormat, _ decoded: PixelSize, stated: PixelSize) -> ImageDecodingError {
    .corrupt(format, reason: "it decodes to \(decoded) pixels, but its header says \(stated)")
  }
}
