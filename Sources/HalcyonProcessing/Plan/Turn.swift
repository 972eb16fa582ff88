import HalcyonImaging

/// The rotation and mirroring of a source.
struct Turn {
  private var rotation = 0
  private var flipsHorizontally = false
  private var flipsVertically = false

  init(_ options: ProcessingOptions) {
    rotation = options.rotation
    flipsHorizontally = options.flipsHorizontally
    flipsVertically = options.flipsVertically
  }

  /// From upright pixels to the stored ones.
  init(undoing orientation: ImageOrientation) {
    switch orientation {
    case .up: break
    case .upMirrored: flipsHorizontally = true
    case .down: rotation = 180
    case .downMirrored: flipsVertically = true
    case .leftMirrored: (rotation, flipsHorizontally) = (90, true)
    case .right: rotation = 270
    case .rightMirrored: (rotation, flipsHorizontally) = (270, true)
    case .left: rotation = 90
    }
  }

  /// This turn, then another.
  func followed(by next: Turn) -> Turn {
    var turn = next
    turn.rotation = (rotation + next.rotation) % 360
    // After a quarter turn, left and right are above and below.
    let flips = (flipsHorizontally, flipsVertically)
    let (left, top) = next.swapsSides ? (flips.1, flips.0) : flips
    turn.flipsHorizontally = left != next.flipsHorizontally
    turn.flipsVertically = top != next.flipsVertically
    return turn
  }

  /// Whether width and height are exchanged.
  var swapsSides: Bool { rotation % 180 == 90 }

  /// The rotation, then the mirroring.
  var processors: [any ImageProcessor] {
    var processors: [any ImageProcessor] = []
    if rotation != 0 { processors.append(.rotate(degrees: Double(rotation))) }
    if flipsHorizontally { processors.append(.flip(.horizontal)) }
    if flipsVertically { processors.append(.flip(.vertical)) }
    return processors
  }

  /// The size before the turn that becomes `target`.
  func before(_ target: TargetSize) -> TargetSize {
    switch target {
    case .fill(let width, let height, let anchor, let enlarges):
      let anchor = before(anchor)
      return swapsSides
        ? .fill(width: height, height: width, anchor: anchor, enlarges: enlarges)
        : .fill(width: width, height: height, anchor: anchor, enlarges: enlarges)
    case .fit(let width, let height) where swapsSides: return .fit(width: height, height: width)
    case .exact(let width, let height, let enlarges) where swapsSides:
      return .exact(width: height, height: width, enlarges: enlarges)
    default: return target
    }
  }

  private func before(_ anchor: CropAnchor) -> CropAnchor {
    let x = flipsHorizontally ? 1 - anchor.x : anchor.x
    let y = flipsVertically ? 1 - anchor.y : anchor.y
    switch rotation {
    case 90: return CropAnchor(x: y, y: 1 - x)
    case 180: return CropAnchor(x: 1 - x, y: 1 - y)
    case 270: return CropAnchor(x: 1 - y, y: x)
    default: return CropAnchor(x: x, y: y)
    }
  }
}
