import HalcyonCodecs
import HalcyonImaging

/// How a geometry is drawn: the region of the source and the size to decode it at, and crops and resizes after that.
///
/// A source that is made smaller is decoded at the smaller size, which takes a fraction of the time and memory. A
/// source that is made larger is cropped first, so that no pixels are made that the crop would remove.
struct GeometrySteps {
  /// `nil` for the whole source.
  private(set) var region: PixelArea?
  private(set) var decodingSize: TargetSize
  private(set) var processors: [any ImageProcessor] = []

  /// - Parameters:
  ///   - isSmart: Whether the part to keep is found in the pixels of the resized area.
  ///   - place: Keeps the place that was found for all frames of an animation.
  init(
    _ geometry: ResultGeometry, _ options: ProcessingOptions, source: PixelSize, isVector: Bool, isSmart: Bool,
    place: SmartCropPlace?
  ) {
    var geometry = geometry
    let result = geometry.kept.size
    if isSmart { geometry.keepAll() }
    let (area, kept, scaled) = (geometry.area, geometry.kept, geometry.scaledSize)
    let shrinks = geometry.scale.x <= 1 && geometry.scale.y <= 1
    let isCentered = options.gravity == .center
    region = area.size == source ? nil : area
    if kept.size == scaled, shrinks || isVector || region == nil {
      decodingSize = scaled == area.size && !isVector ? .original : .exact(width: scaled.width, height: scaled.height)
    } else if shrinks || isVector && isCentered, geometry.scale.x == geometry.scale.y,
      kept.width == scaled.width || kept.height == scaled.height
    {
      // In the middle as by the size of a request, which need not be whole pixels.
      let requested = TargetSize.fill(width: geometry.requested.width, height: geometry.requested.height)
      let anchor = isCentered ? .center : Self.anchor(of: kept, in: scaled)
      decodingSize =
        isCentered && requested.size(for: area.size) == kept.size
        ? requested : .fill(width: kept.width, height: kept.height, anchor: anchor, enlarges: isVector)
    } else if shrinks || isVector {
      decodingSize = scaled == area.size && !isVector ? .original : .exact(width: scaled.width, height: scaled.height)
      processors.append(.crop(x: kept.left, y: kept.top, width: kept.width, height: kept.height))
    } else {
      decodingSize = .original
      let window = Self.window(of: kept, in: area, scale: geometry.scale)
      region = window.size == source ? nil : window
      if window.size != kept.size {
        processors.append(.resize(.exact(width: kept.width, height: kept.height)))
      }
    }
    if isSmart { processors.append(SmartCropProcessor(result, place: place)) }
  }

  private static func anchor(of kept: PixelArea, in scaled: PixelSize) -> CropAnchor {
    func fraction(_ start: Int, _ free: Int) -> Double { free == 0 ? 0.5 : Double(start) / Double(free) }
    return CropAnchor(
      x: fraction(kept.left, scaled.width - kept.width), y: fraction(kept.top, scaled.height - kept.height))
  }

  /// The part of the source that becomes the kept part.
  private static func window(of kept: PixelArea, in area: PixelArea, scale: (x: Double, y: Double)) -> PixelArea {
    let width = min(area.width, length(kept.width, 1 / scale.x))
    let height = min(area.height, length(kept.height, 1 / scale.y))
    let left = min(Int(pixels: Double(kept.left) / scale.x), area.width - width)
    let top = min(Int(pixels: Double(kept.top) / scale.y), area.height - height)
    return PixelArea(left: area.left + left, top: area.top + top, width: width, height: height)
  }

  private static func length(_ length: Int, _ scale: Double) -> Int {
    max(1, min(1_000_000, Int(pixels: Double(length) * scale)))
  }
}
