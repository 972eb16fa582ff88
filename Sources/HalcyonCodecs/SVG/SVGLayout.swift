#if SVG && !IMAGEIO
@_spi(Programs) import HalcyonImaging

/// The position of a document on its output pixels.
struct SVGLayout: Hashable, Sendable {
  let outputSize: PixelSize
  /// The rectangle of the whole document, in output pixels; it can extend beyond the output.
  let viewport: PixelRectangle
  /// The factors that stretch the document to a viewport of whole pixels: otherwise thin bands would remain at two
  /// sides.
  let rounding: SIMD2<Double>

  /// The size of the temporary surfaces of librsvg, which cover the viewport.
  var canvasSize: PixelSize {
    PixelSize(
      width: max(outputSize.width, Int(viewport.width.rounded(.up))),
      height: max(outputSize.height, Int(viewport.height.rounded(.up))))
  }

  /// Whether a document of this size is drawn at just that size, from the corner of a pixel.
  func isOnPixels(_ size: SVGSize) -> Bool {
    viewport.width == size.width && viewport.height == size.height && rounding == SIMD2(1, 1)
      && viewport.x == viewport.x.rounded() && viewport.y == viewport.y.rounded()
  }

  /// The layout of a document on pixels that are within the limits, whatever size the document states.
  ///
  /// - Parameters:
  ///   - target: A valid target size.
  ///   - region: The part that is drawn at the target size, in pixels of the stated size; `nil` for the whole document.
  init(
    size: SVGSize, target: TargetSize, region: PixelArea? = nil, limits: ImageLimits
  ) throws(ImageDecodingError) {
    let stated = size.pixels
    guard stated.width > 0, stated.height > 0 else { throw .corrupt(.svg, reason: "its size is \(stated) pixels") }
    _ = try target.geometry(for: stated, region: region)
    self.init(size: size, target: target, region: region)
    try limits.check(outputSize, format: .svg)
    // A part of the document is drawn on temporary surfaces for the whole of it.
    let whole = canvasSize
    try limits.check(
      PixelSize(width: min(stated.width, whole.width), height: min(stated.height, whole.height)), format: .svg)
  }

  init(outputSize: PixelSize, viewport: PixelRectangle, rounding: SIMD2<Double>) {
    (self.outputSize, self.viewport, self.rounding) = (outputSize, viewport, rounding)
  }

  /// - Parameters:
  ///   - size: The size of the document, both sides above 0.
  ///   - region: A part of it.
  init(size: SVGSize, target: TargetSize, region: PixelArea? = nil) {
    let (stated, part) = (
      size.pixels, region.map { SVGSize(width: Double($0.width), height: Double($0.height)) } ?? size
    )
    let shown = region ?? PixelArea(left: 0, top: 0, width: stated.width, height: stated.height)
    let scale = target.enlargement(of: part)
    let enlarged = PixelSize(width: Self.side(part.width * scale), height: Self.side(part.height * scale))
    let geometry = target.geometry(for: enlarged)
    let window = geometry.window
    let (x, y) = (Double(geometry.outputSize.width) / window.width, Double(geometry.outputSize.height) / window.height)
    outputSize = geometry.outputSize
    func across(_ pixels: Int) -> Double { Double(pixels) * Double(enlarged.width) / Double(shown.width) }
    func down(_ pixels: Int) -> Double { Double(pixels) * Double(enlarged.height) / Double(shown.height) }
    viewport = PixelRectangle(
      x: -(window.x + across(shown.left)) * x, y: -(window.y + down(shown.top)) * y, width: across(stated.width) * x,
      height: down(stated.height) * y)
    let excess = viewport.width - viewport.height * size.width / size.height
    let rest = viewport.height - viewport.width * size.height / size.width
    if case .exact = target, region == nil, min(abs(excess), abs(rest)) >= 1 {
      // The document's `preserveAspectRatio` decides how it fills another ratio.
      rounding = SIMD2(1, 1)
    } else {
      rounding = SIMD2(1, viewport.height * size.width / (viewport.width * size.height))
    }
  }

  private static func side(_ length: Double) -> Int { Int(min(max(1, length.rounded()), 1e15)) }
}

extension TargetSize {
  /// The factor by which a document has to be enlarged to reach the target; 1 if it is large enough.
  fileprivate func enlargement(of size: SVGSize) -> Double {
    switch self {
    case .fit(let width, let height) where min(width, height) < .max:
      max(1, min(Double(width) / size.width, Double(height) / size.height))
    case .fill(let width, let height, _, _) where max(width, height) < .max,
      .exact(let width, let height, enlarges: false) where max(width, height) < .max,
      .cover(let width, let height) where max(width, height) < .max:
      max(1, Double(width) / size.width, Double(height) / size.height)
    default: 1
    }
  }
}
#endif
