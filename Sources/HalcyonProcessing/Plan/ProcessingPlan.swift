import HalcyonCodecs
public import HalcyonImaging

/// How a source becomes the result that the options of a path ask for: the region and the size to decode, and the processors.
public struct ProcessingPlan: Sendable {
  /// The part of the source that is decoded; `nil` for all of it.
  public private(set) var region: PixelArea?
  /// The size at which the source, or its region, is decoded.
  public private(set) var decodingSize: TargetSize
  /// The processors of the decoded image, in order.
  public private(set) var processors: [any ImageProcessor]
  /// The size of the result; where that depends on pixels, the one that it would have if no border were removed.
  public private(set) var resultSize: PixelSize
  /// The memory in bytes that the processors take, roughly.
  public private(set) var processingByteCount: Int

  /// A plan for a source of a known size.
  ///
  /// - Parameters:
  ///   - source: The size of the source, upright.
  ///   - orientation: That of the file, where the result has the pixels as they are stored; otherwise ``ImageOrientation/up``.
  ///   - isVector: Whether the source is drawn at any size, such as SVG.
  ///   - isAnimated: Whether the processors apply to all frames of an animation: smart crops follow the first frame,
  ///     and borders are not removed, since they may differ from frame to frame.
  ///   - sideLimit: The longest side of a result; a longer one is an error.
  ///   - pixelLimit: The most pixels of a result; more are an error of the plan, or of the processors where they depend on
  ///     the pixels of the source.
  ///   - dimension: The side to which a larger result is scaled down; 0 is none.
  ///   - mark: The watermark, where the options ask for one.
  public init(
    _ options: ProcessingOptions, source: PixelSize, undoing orientation: ImageOrientation = .up,
    isVector: Bool = false, isAnimated: Bool = false, sideLimit: Int = 8192, pixelLimit: Int = .max,
    dimension: Int = 0, mark: Bitmap? = nil
  ) throws(PlanError) {
    var options = options
    if isAnimated { options.trim = nil }
    try self.init(
      options, source: source, undoing: orientation, isVector: isVector,
      limits: ResultLimits(sideLength: min(sideLimit, 1 << 30), pixelCount: pixelLimit, dimension: dimension),
      mark: mark,
      places: isAnimated ? SmartCropPlaces() : nil)
  }

  /// - Parameter places: Keeps the places of smart crops for all frames of an animation.
  init(
    _ options: ProcessingOptions, source: PixelSize, undoing orientation: ImageOrientation = .up,
    isVector: Bool = false, limits: ResultLimits, mark: Bitmap?, places: SmartCropPlaces?
  ) throws(PlanError) {
    if options.dependsOnPixels {
      var whole = options
      whole.trim = nil
      if options.cropsSmartly { whole.crop?.gravity = .center }
      self = try ProcessingPlan(
        whole, source: source, undoing: orientation, isVector: isVector, limits: limits, mark: mark, places: nil)
      // Without its borders an image may be enlarged more than with them, within this memory.
      let pixelCount = min(source.pixelCount, Int.max >> 13)
      var limits = limits
      limits.byteCount =
        byteCount(from: source) + 16 * pixelCount
        + (options.mayEnlarge ? 2 * limits.sideLength * limits.sideLength : 0)
      processingByteCount = 8 * pixelCount + limits.byteCount
      region = nil
      decodingSize = isVector ? .exact(width: source.width, height: source.height) : .original
      processors =
        orientation.inverse.processors
        + [StagedProcessor(options: options, limits: limits, mark: mark, places: places)]
      return
    }
    let turn = orientation.inverse.followed(by: ImageOrientation(options))
    let turned = turn.swapsAxes ? source.transposed : source
    var geometry = try ResultGeometry(options, source: turned, isVector: isVector)
    var canvas = CanvasPlan(options, kept: geometry.kept.size, requested: geometry.requested, dpr: geometry.dpr)
    let dimension = options.resultDimension ?? limits.dimension
    let longest = max(canvas.size.width, canvas.size.height)
    if dimension > 0, longest > dimension {
      geometry = try ResultGeometry(
        options, source: turned, isVector: isVector, shrink: Double(dimension) / Double(longest))
      canvas = CanvasPlan(options, kept: geometry.kept.size, requested: geometry.requested, dpr: geometry.dpr)
    }
    let (size, sideLimit) = (canvas.size, limits.sideLength)
    guard max(size.width, size.height) <= sideLimit else {
      throw .resultTooLarge(size, sideLimit: sideLimit)
    }
    guard size.pixelCount <= limits.pixelCount else { throw .tooLarge(size, pixelLimit: limits.pixelCount) }
    let scaled = geometry.scaledSize
    let isSmart = options.gravity.kind == .smart && geometry.kept.size != scaled
    guard !isSmart || scaled.width * scaled.height <= max(sideLimit * sideLimit, source.width * source.height) else {
      throw .resultTooLarge(scaled, sideLimit: sideLimit)
    }
    resultSize = size
    let steps = GeometrySteps(
      geometry, options, source: turned, isVector: isVector, isSmart: isSmart, place: places?.result)
    region = steps.region.map { turn.before($0, in: source) }
    decodingSize = turn.before(steps.decodingSize)
    processors = turn.processors + steps.processors + ColorPlan.processors(options) + canvas.processors
    // The result twice, or a processor's input and output.
    processingByteCount = processors.isEmpty ? 0 : size.width * size.height * 8
    if isSmart { processingByteCount += scaled.width * scaled.height * 4 }
    if let watermark = options.watermark, let mark {
      let processor = WatermarkProcessor(
        mark, at: .gravity(watermark.gravity, scale: geometry.dpr), opacity: watermark.opacity,
        share: watermark.scale > 0 ? watermark.scale : nil, isRepeated: watermark.isRepeated)
      let markSize = processor.markSize(on: size)
      guard max(markSize.width, markSize.height) <= max(sideLimit, mark.size.width, mark.size.height) else {
        throw .watermarkTooLarge(markSize, sideLimit: sideLimit)
      }
      processors.append(processor)
      processingByteCount = max(
        processingByteCount, size.width * size.height * 8 + markSize.width * markSize.height * 4)
    }
    guard byteCount(from: source) <= limits.byteCount else {
      throw .tooLarge(isSmart ? scaled : size, pixelLimit: limits.byteCount / 8)
    }
  }

  /// The size at which a source is decoded.
  @_spi(Programs) public func decodedSize(of source: PixelSize) -> PixelSize {
    decodingSize.size(for: region?.size ?? source)
  }

  /// The memory in bytes of the image at its decoding size, and of the processors.
  private func byteCount(from source: PixelSize) -> Int {
    min(decodedSize(of: source).pixelCount, Int.max >> 13) * 4 + processingByteCount
  }
}

extension ProcessingPlan {
  /// The result in a form.
  ///
  /// - Parameter frameLimit: The most frames of an animation.
  public func rendition(_ encoding: Rendition.Encoding, frameLimit: Int = 1) -> Rendition {
    var rendition = Rendition(size: decodingSize, region: region, processors: processors, encoding: encoding)
    (rendition.processingByteCount, rendition.frameLimit) = (processingByteCount, frameLimit)
    return rendition
  }
}

/// Where the smart crops of an animation are.
struct SmartCropPlaces {
  /// The area of the source that is used.
  let area = SmartCropPlace()
  /// The part of the resized area that is kept.
  let result = SmartCropPlace()
}

/// The limits of results.
struct ResultLimits {
  let sideLength: Int
  let pixelCount: Int
  /// The side to which a larger result is scaled down; 0 is none.
  let dimension: Int
  /// The memory that is reserved, once it is.
  var byteCount = Int.max
}
