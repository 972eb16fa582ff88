import HalcyonImaging

extension ImageOrientation {
  /// The rotation and then the mirroring of options.
  init(_ options: ProcessingOptions) {
    let rotation: ImageOrientation = [90: .right, 180: .down, 270: .left][options.rotation] ?? .up
    self = rotation.followed(by: options.flipsHorizontally ? .upMirrored : .up)
      .followed(by: options.flipsVertically ? .downMirrored : .up)
  }

  var processors: [any ImageProcessor] { self == .up ? [] : [TurnProcessor(self)] }

  /// The part before the turn of an image of a size that becomes `area`.
  func before(_ area: PixelArea, in size: PixelSize) -> PixelArea {
    let rectangle = PixelRectangle(
      x: Double(area.left), y: Double(area.top), width: Double(area.width), height: Double(area.height))
    let stored = storedRectangle(for: rectangle, storedSize: size)
    return PixelArea(
      left: Int(stored.x), top: Int(stored.y), width: Int(stored.width), height: Int(stored.height))
  }

  /// The size before the turn that becomes `target`.
  func before(_ target: TargetSize) -> TargetSize {
    switch target {
    case .fill(let width, let height, let anchor, let enlarges):
      let point = PixelRectangle(x: anchor.x, y: anchor.y, width: 0, height: 0)
      let place = storedRectangle(for: point, storedSize: PixelSize(width: 1, height: 1))
      let anchor = CropAnchor(x: place.x, y: place.y)
      return swapsAxes
        ? .fill(width: height, height: width, anchor: anchor, enlarges: enlarges)
        : .fill(width: width, height: height, anchor: anchor, enlarges: enlarges)
    case .fit(let width, let height) where swapsAxes: return .fit(width: height, height: width)
    case .exact(let width, let height, let enlarges) where swapsAxes:
      return .exact(width: height, height: width, enlarges: enlarges)
    default: return target
    }
  }
}
