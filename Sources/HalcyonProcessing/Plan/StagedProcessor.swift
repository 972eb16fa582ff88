import HalcyonCodecs
import HalcyonImaging

/// Processes an image whose sizes follow from its pixels: it removes borders, and finds what attracts attention.
struct StagedProcessor: WholeImageProcessor {
  let options: ProcessingOptions
  let limits: ResultLimits
  let mark: Bitmap?
  /// Keeps the places of smart crops for all frames of an animation.
  var places: SmartCropPlaces?

  var identifier: String { "halcyon.staged \(options) \(limits)" }

  var keepsDynamicRange: Bool {
    ColorPlan.processors(options).isEmpty && !options.addsPixels && options.background == nil
      && options.watermark == nil
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let info = ImageInfo(format: .png, storedSize: bitmap.size, hasAlpha: !bitmap.isOpaque)
    var image = ProcessedImage(bitmap, of: info)
    try process(&image)
    return image.bitmap
  }

  func process(_ image: inout ProcessedImage) throws {
    var options = options
    if let trim = options.trim { try image.apply(trim.processor) }
    options.trim = nil
    for processor in ImageOrientation(options).processors { try image.apply(processor) }
    (options.rotation, options.flipsHorizontally, options.flipsVertically) = (0, false, false)
    if options.cropsSmartly {
      let area = try ResultGeometry(options, source: image.bitmap.size, isVector: false).area
      try image.apply(SmartCropProcessor(area.size, place: places?.area))
      options.crop = nil
    }
    // The rest follows from the size that the image has now, which is checked before anything is drawn.
    let plan = try ProcessingPlan(options, source: image.bitmap.size, limits: limits, mark: mark, places: places)
    if let region = plan.region {
      try image.apply(
        BuiltInProcessor.crop(x: region.left, y: region.top, width: region.width, height: region.height))
    }
    try image.apply(BuiltInProcessor.resize(plan.decodingSize))
    for processor in plan.processors { try image.apply(processor) }
  }
}

extension ProcessingOptions.Trim {
  var processor: TrimProcessor {
    TrimProcessor(
      threshold: threshold, color: color, equalHorizontally: equalHorizontally, equalVertically: equalVertically)
  }
}
