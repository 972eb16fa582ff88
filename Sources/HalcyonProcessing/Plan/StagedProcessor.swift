import HalcyonCodecs
import HalcyonImaging

/// Processes an image whose sizes follow from its pixels: it removes borders, and finds what attracts attention.
struct StagedProcessor: GainMapProcessor {
  let options: ProcessingOptions
  /// The longest side of the result.
  let sideLimit: Int
  /// The side to which a larger result is scaled down; 0 is none.
  let dimension: Int
  let mark: Bitmap?
  /// Keeps the places of smart crops for all frames of an animation.
  var places: SmartCropPlaces?

  var identifier: String { "halcyon.staged \(options) \(sideLimit) \(dimension)" }

  var keepsDynamicRange: Bool {
    ColorPlan.processors(options).isEmpty && !options.addsPixels && options.background == nil
      && options.watermark == nil
  }

  func process(_ bitmap: Bitmap, with gainMap: GainMap?) throws -> (bitmap: Bitmap, gainMap: GainMap?) {
    var options = options
    var (image, gainMap) = (bitmap, gainMap)
    func apply(_ processor: any ImageProcessor) throws {
      try checkCancellation()
      (image, gainMap) = try processor.process(image, gainMap) { try processor.process($0) }
    }
    if let trim = options.trim { try apply(trim.processor) }
    options.trim = nil
    for processor in Turn(options).processors { try apply(processor) }
    (options.rotation, options.flipsHorizontally, options.flipsVertically) = (0, false, false)
    let area = ResultGeometry(options, source: image.size, isVector: false).area
    if let crop = options.crop, area.size != image.size {
      if (crop.gravity ?? options.gravity).kind == .smart {
        try apply(SmartCropProcessor(area.size, place: places?.area))
      } else {
        try apply(BuiltInProcessor.crop(x: area.left, y: area.top, width: area.width, height: area.height))
      }
    }
    options.crop = nil
    // The rest follows from the size that the image has now.
    let plan = try ProcessingPlan(
      options, source: image.size, sideLimit: sideLimit, dimension: dimension, mark: mark, places: places)
    try apply(BuiltInProcessor.resize(plan.decodingSize))
    for processor in plan.processors { try apply(processor) }
    return (image, gainMap)
  }
}

extension ProcessingOptions.Trim {
  var processor: TrimProcessor {
    TrimProcessor(
      threshold: threshold, color: color, equalHorizontally: equalHorizontally, equalVertically: equalVertically)
  }
}
