import HalcyonImaging

/// The sizes between a source and its result, from the options of a path.
///
/// All sizes are measured after the rotation of the image.
struct ResultGeometry {
  /// The area of the source that is processed.
  private(set) var area: PixelArea
  /// The size of the area when it has been resized.
  private(set) var scaledSize: PixelSize
  /// The factors of the area's sides.
  private(set) var scale: (x: Double, y: Double)
  /// The part of the resized area that is kept.
  private(set) var kept: PixelArea
  /// The size that was asked for, in pixels; a side that follows from the other is 0.
  private(set) var requested: PixelSize
  /// The factor of offsets and padding.
  private(set) var dpr: Double

  /// - Parameters:
  ///   - isVector: Whether the source can be drawn at any size, so that it is always enlarged.
  ///   - shrink: A factor of the scale, for results that would be too large.
  init(
    _ options: ProcessingOptions, source: PixelSize, isVector: Bool, shrink: Double = 1
  ) throws(PlanError) {
    area = try Self.area(options, of: source)
    (scale, dpr) = Self.scale(options, of: area, isVector: isVector)
    if shrink < 1 {
      scale = (max(scale.x * shrink, 1 / Double(area.width)), max(scale.y * shrink, 1 / Double(area.height)))
      dpr *= shrink
    }
    scaledSize = PixelSize(
      width: Self.length(Double(area.width) * scale.x), height: Self.length(Double(area.height) * scale.y))
    requested = PixelSize(
      width: options.width == 0 ? 0 : Self.length(Double(options.width) * dpr * options.zoomX),
      height: options.height == 0 ? 0 : Self.length(Double(options.height) * dpr * options.zoomY))
    let size = Self.keptSize(options, scaled: scaledSize, requested: requested)
    let (left, top) = options.gravity.position(
      of: (size.width, size.height), in: (scaledSize.width, scaledSize.height), scale: dpr)
    kept = PixelArea(left: left, top: top, width: size.width, height: size.height)
  }

  /// Keeps all of the resized area.
  mutating func keepAll() {
    kept = PixelArea(left: 0, top: 0, width: scaledSize.width, height: scaledSize.height)
  }

  private static func area(_ options: ProcessingOptions, of source: PixelSize) throws(PlanError) -> PixelArea {
    guard let crop = options.crop else { return PixelArea(left: 0, top: 0, width: source.width, height: source.height) }
    let width = cropped(source.width, to: crop.width)
    let height = cropped(source.height, to: crop.height)
    let gravity = crop.gravity ?? options.gravity
    if crop.isExact {
      let isCentered = gravity.kind == .center
      let left = isCentered ? (source.width - width) / 2 : Int(pixels: gravity.x)
      let top = isCentered ? (source.height - height) / 2 : Int(pixels: gravity.y)
      guard left < source.width, top < source.height else { throw .emptyCrop(source) }
      return PixelArea(
        left: left, top: top, width: min(width, source.width - left), height: min(height, source.height - top))
    }
    let (left, top) = gravity.position(of: (width, height), in: (source.width, source.height))
    return PixelArea(left: left, top: top, width: width, height: height)
  }

  private static func cropped(_ length: Int, to crop: Double) -> Int {
    guard crop > 0 else { return length }
    return min(length, Self.length(crop >= 1 ? crop.rounded(.down) : Double(length) * crop))
  }

  private static func scale(
    _ options: ProcessingOptions, of area: PixelArea, isVector: Bool
  ) -> (scale: (x: Double, y: Double), dpr: Double) {
    let (width, height) = (Double(area.width), Double(area.height))
    var (x, y) = base(options, width: width, height: height)
    (x, y) = (x * options.zoomX, y * options.zoomY)
    var dpr = options.dpr
    if !options.enlarge, !isVector {
      let largest = max(x, y)
      if largest > 1 {
        (x, y) = (x / largest, y / largest)
        if !options.extend.isEnabled { dpr *= largest }
      }
      dpr = min(dpr, 1 / max(x, y))
    }
    if Double(options.minWidth) > width * x {
      let least = Double(options.minWidth) / width
      (x, y) = (least, y * least / x)
    }
    if Double(options.minHeight) > height * y {
      let least = Double(options.minHeight) / height
      (x, y) = (x * least / y, least)
    }
    return ((x * dpr, y * dpr), dpr)
  }

  /// The factors of the sides for the resizing type, without zoom and limits.
  private static func base(_ options: ProcessingOptions, width: Double, height: Double) -> (x: Double, y: Double) {
    let x = options.width == 0 ? 1 : Double(options.width) / width
    let y = options.height == 0 ? 1 : Double(options.height) / height
    var type = options.resizingType
    if type == .auto {
      let wantsLandscape = width * x >= height * y
      type = (width >= height) == wantsLandscape ? .fill : .fit
    }
    if type == .force { return (x, y) }
    if options.width == 0 { return (y, y) }
    if options.height == 0 { return (x, x) }
    let both = type == .fit ? min(x, y) : max(x, y)
    return (both, both)
  }

  /// The size that remains when what projects over the requested size is cut off.
  private static func keptSize(_ options: ProcessingOptions, scaled: PixelSize, requested: PixelSize) -> PixelSize {
    var (width, height) = (requested.width, requested.height)
    if options.resizingType == .fillDown, width > 0, height > 0 {
      let (x, y) = (Double(width) / Double(scaled.width), Double(height) / Double(scaled.height))
      if x > y, x > 1 {
        (width, height) = (scaled.width, length(Double(scaled.width) * Double(height) / Double(width)))
      } else if y > x, y > 1 {
        (width, height) = (length(Double(scaled.height) * Double(width) / Double(height)), scaled.height)
      }
    }
    return PixelSize(
      width: width == 0 ? scaled.width : min(width, scaled.width),
      height: height == 0 ? scaled.height : min(height, scaled.height))
  }

  private static func length(_ value: Double) -> Int { max(1, min(1_000_000, Int(pixels: value))) }
}
