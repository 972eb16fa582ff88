import HalcyonCodecs
public import HalcyonImaging

/// How a source becomes the result that the options of a path ask for: the size to decode at, and the processors.
public struct ProcessingPlan: Sendable {
  /// The size at which the source is decoded.
  public private(set) var decodingSize: TargetSize
  /// The processors of the decoded image, in order.
  public private(set) var processors: [any ImageProcessor]
  /// The size of the result; where that depends on pixels, the largest possible.
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
  ///   - dimension: The side to which a larger result is scaled down; 0 is none.
  ///   - mark: The watermark, where the options ask for one.
  public init(
    _ options: ProcessingOptions, source: PixelSize, undoing orientation: ImageOrientation = .up,
    isVector: Bool = false, isAnimated: Bool = false, sideLimit: Int = 8192, dimension: Int = 0, mark: Bitmap? = nil
  ) throws(PlanError) {
    var options = options
    if isAnimated { options.trim = nil }
    try self.init(
      options, source: source, undoing: orientation, isVector: isVector, sideLimit: sideLimit, dimension: dimension,
      mark: mark, places: isAnimated ? SmartCropPlaces() : nil)
  }

  /// - Parameter places: Keeps the places of smart crops for all frames of an animation.
  init(
    _ options: ProcessingOptions, source: PixelSize, undoing orientation: ImageOrientation = .up,
    isVector: Bool = false, sideLimit: Int, dimension: Int, mark: Bitmap?, places: SmartCropPlaces?
  ) throws(PlanError) {
    if options.dependsOnPixels {
      decodingSize = isVector ? .exact(width: source.width, height: source.height) : .original
      processors = Turn(undoing: orientation).processors
      processors.append(
        StagedProcessor(options: options, sideLimit: sideLimit, dimension: dimension, mark: mark, places: places))
      resultSize = PixelSize(width: min(source.width, sideLimit), height: min(source.height, sideLimit))
      processingByteCount = (source.width * source.height + sideLimit * sideLimit / 4) * 8
      return
    }
    let turn = Turn(undoing: orientation).followed(by: Turn(options))
    let turned = turn.swapsSides ? PixelSize(width: source.height, height: source.width) : source
    var geometry = ResultGeometry(options, source: turned, isVector: isVector)
    var canvas = CanvasPlan(options, kept: geometry.kept.size, requested: geometry.requested, dpr: geometry.dpr)
    let dimension = options.resultDimension ?? dimension
    let longest = max(canvas.size.width, canvas.size.height)
    if dimension > 0, longest > dimension {
      geometry = ResultGeometry(
        options, source: turned, isVector: isVector, shrink: Double(dimension) / Double(longest))
      canvas = CanvasPlan(options, kept: geometry.kept.size, requested: geometry.requested, dpr: geometry.dpr)
    }
    let size = canvas.size
    guard max(size.width, size.height) <= sideLimit else {
      throw .resultTooLarge(size, sideLimit: sideLimit)
    }
    let scaled = geometry.scaledSize
    let isSmart = options.gravity.kind == .smart && geometry.kept.size != scaled
    guard !isSmart || scaled.width * scaled.height <= max(sideLimit * sideLimit, source.width * source.height) else {
      throw .resultTooLarge(scaled, sideLimit: sideLimit)
    }
    resultSize = size
    let steps = GeometrySteps(
      geometry, source: turned, isVector: isVector, isSmart: isSmart, place: places?.result)
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
      processingByteCount = size.width * size.height * 8 + markSize.width * markSize.height * 4
    }
  }
}

extension ProcessingPlan {
  /// The result in a form.
  ///
  /// - Parameter frameLimit: The most frames of an animation.
  public func rendition(_ encoding: Rendition.Encoding, frameLimit: Int = 1) -> Rendition {
    var rendition = Rendition(size: decodingSize, processors: processors, encoding: encoding)
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
