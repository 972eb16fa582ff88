import HalcyonCodecs
import HalcyonImaging

/// Processes an image whose sizes follow from its pixels: it removes borders, and finds what attracts attention.
struct StagedProcessor: ImageProcessor {
  let options: ProcessingOptions
  /// The longest side of the result.
  let sideLimit: Int
  /// The side to which a larger result is scaled down; 0 is none.
  let dimension: Int
  let mark: Bitmap?
  /// Keeps the places of smart crops for all frames of an animation.
  var places: SmartCropPlaces?

  var identifier: String { "halcyon.staged \(options) \(sideLimit) \(dimension)" }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    var options = options
    var image = try options.trim.map { try $0.processor.process(bitmap) } ?? bitmap
    options.trim = nil
    let turn = Turn(options)
    image = try turn.processors.reduce(image) { try $1.process($0) }
    (options.rotation, options.flipsHorizontally, options.flipsVertically) = (0, false, false)
    let area = ResultGeometry(options, source: image.size, isVector: false).area
    if let crop = options.crop, area.size != image.size {
      if (crop.gravity ?? options.gravity).kind == .smart {
        image = try SmartCropProcessor(area.size, place: places?.area).process(image)
      } else {
        image = try BuiltInProcessor.crop(x: area.left, y: area.top, width: area.width, height: area.height)
          .process(image)
      }
    }
    options.crop = nil
    // The rest follows from the size that the image has now.
    let plan = try ProcessingPlan(
      options, source: image.size, sideLimit: sideLimit, dimension: dimension, mark: mark, places: places)
    image = try BuiltInProcessor.resize(plan.decodingSize).process(image)
    return try plan.processors.reduce(image) { image, processor in
      try checkCancellation()
      return try processor.process(image)
    }
  }
}

extension ProcessingOptions.Trim {
  var processor: TrimProcessor {
    TrimProcessor(
      threshold: threshold, color: color, equalHorizontally: equalHorizontally, equalVertically: equalVertically)
  }
}
