/// The size at which an image is wanted, in pixels. Nothing but drawings (SVG) is enlarged, save by
/// ``exact(width:height:)``.
@nonexhaustive
public enum TargetSize: Hashable, Sendable {
  /// As large as the file has it.
  case original
  /// The whole image inside a box, its shape kept. Both sides at least 1; `Int.max` leaves a side free.
  case fit(width: Int, height: Int)
  /// The box filled, its shape kept and what stands over cut off evenly on both sides. Both sides at least 1.
  case fill(width: Int, height: Int)
  /// The box filled as by ``fill(width:height:)``, and what stands over cut off so that the anchor stays. Both sides at
  /// least 1.
  case crop(width: Int, height: Int, anchor: CropAnchor)
  /// The whole image at exactly this size, enlarged and out of shape where that takes it. Both sides at least 1; the
  /// result counts against the limits on pixels.
  case exact(width: Int, height: Int)

  /// Whether both sides are at least 1.
  public var isValid: Bool {
    switch self {
    case .original: true
    case .fit(let width, let height), .fill(let width, let height), .crop(let width, let height, _),
      .exact(let width, let height):
      width > 0 && height > 0
    }
  }

  /// The same target with sides so many times as long, rounded to whole pixels: from points to pixels, for example. A free
  /// side stays free; a factor that is not above 0 gives a target that is not valid.
  public func scaled(by factor: Double) -> TargetSize {
    func side(_ length: Int) -> Int {
      guard factor > 0, length > 0 else { return 0 }
      return length == .max ? .max : max(1, Int(exactly: (Double(length) * factor).rounded()) ?? .max)
    }
    switch self {
    case .original: return .original
    case .fit(let width, let height): return .fit(width: side(width), height: side(height))
    case .fill(let width, let height): return .fill(width: side(width), height: side(height))
    case .crop(let width, let height, let anchor):
      return .crop(width: side(width), height: side(height), anchor: anchor)
    case .exact(let width, let height): return .exact(width: side(width), height: side(height))
    }
  }

  /// Which part of an image is drawn, and how large, for this target.
  ///
  /// - Parameter source: The upright size of the whole image, both sides at least 1.
  /// - Precondition: The target ``isValid``.
  public func geometry(for source: PixelSize) -> ResizeGeometry {
    precondition(isValid, "a target size needs at least one pixel a side, got \(self)")
    let whole = PixelRectangle(
      x: 0, y: 0, width: Double(source.width), height: Double(source.height))
    switch self {
    case .original:
      return ResizeGeometry(window: whole, outputSize: source)
    case .fit(let width, let height):
      let scale = min(1, Double(width) / whole.width, Double(height) / whole.height)
      return ResizeGeometry(window: whole, outputSize: whole.size(scaledBy: scale))
    case .fill(let width, let height):
      return whole.filling(width: Double(width), height: Double(height), anchor: .center)
    case .crop(let width, let height, let anchor):
      return whole.filling(width: Double(width), height: Double(height), anchor: anchor)
    case .exact(let width, let height):
      return ResizeGeometry(window: whole, outputSize: PixelSize(width: width, height: height))
    }
  }
}

extension TargetSize: CustomStringConvertible {
  /// For example `fit 400x300`.
  public var description: String {
    switch self {
    case .original: "original"
    case .fit(let width, let height): "fit \(width)x\(height)"
    case .fill(let width, let height): "fill \(width)x\(height)"
    case .crop(let width, let height, let anchor): "crop \(width)x\(height) \(anchor.x),\(anchor.y)"
    case .exact(let width, let height): "exact \(width)x\(height)"
    }
  }
}

/// A part of an image and the size at which it is drawn.
public struct ResizeGeometry: Hashable, Sendable {
  /// The part of the upright source that is drawn, in source pixels and their fractions.
  public var window: PixelRectangle
  /// The size of the result in pixels.
  public var outputSize: PixelSize

  /// Creates a geometry.
  public init(window: PixelRectangle, outputSize: PixelSize) {
    self.window = window
    self.outputSize = outputSize
  }
}

/// A rectangle in pixels and fractions of pixels; x grows to the right, y downwards.
public struct PixelRectangle: Hashable, Sendable {
  /// The left edge.
  public var x: Double
  /// The top edge.
  public var y: Double
  /// From the left edge to the right one.
  public var width: Double
  /// From the top edge to the bottom one.
  public var height: Double

  /// Creates a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The same rectangle with x and y exchanged.
  public var transposed: PixelRectangle { PixelRectangle(x: y, y: x, width: height, height: width) }

  func size(scaledBy scale: Double) -> PixelSize {
    PixelSize(width: max(1, Int((width * scale).rounded())), height: max(1, Int((height * scale).rounded())))
  }

  /// The largest part with the shape of a box of at least 1x1, drawn at the size of the box or below. A part has at
  /// least one pixel a side, which boxes of extreme shapes are too thin for.
  func filling(width boxWidth: Double, height boxHeight: Double, anchor: CropAnchor) -> ResizeGeometry {
    let crop = min(width / boxWidth, height / boxHeight)
    let window = part(width: max(1, crop * boxWidth), height: max(1, crop * boxHeight), anchor: anchor)
    return ResizeGeometry(window: window, outputSize: window.size(scaledBy: min(1, 1 / crop)))
  }

  private func part(width innerWidth: Double, height innerHeight: Double, anchor: CropAnchor) -> PixelRectangle {
    PixelRectangle(
      x: x + (width - innerWidth) * anchor.x, y: y + (height - innerHeight) * anchor.y, width: innerWidth,
      height: innerHeight)
  }
}
