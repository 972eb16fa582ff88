package import HalcyonImaging
import HalcyonSupport

/// Draws a watermark over an image, once or repeated over the whole of it.
package struct WatermarkProcessor: ImageProcessor {
  /// The least distance from one repeated mark to the next, in pixels.
  private static let leastStep = 8

  private let mark: Bitmap
  private let placement: Placement
  private let opacity: Double
  private let blendMode: BlendMode
  private let share: Double?
  private let isRepeated: Bool
  /// Identifies the pixels of the mark.
  private let markDigest: KeyDigest

  /// - Parameters:
  ///   - share: The size as a share of the image's; `nil` for the size of the mark itself.
  ///   - isRepeated: Whether the mark is repeated; the inset, or the offsets of the placement, are the space between two.
  package init(
    _ mark: Bitmap, at placement: Placement, opacity: Double, blendMode: BlendMode = .normal, share: Double? = nil,
    isRepeated: Bool = false
  ) {
    (self.mark, self.placement, self.opacity, self.blendMode) = (mark, placement, opacity, blendMode)
    (self.share, self.isRepeated) = (share, isRepeated)
    markDigest = mark.withUnsafeBytes { KeyDigest(bytes: $0) }
  }

  package var identifier: String {
    let options = (share.map { " of \($0)" } ?? "") + (isRepeated ? " repeated" : "")
    return """
      halcyon.watermark \(markDigest.hexadecimal) \(mark.size) \(placement.parameters) \(opacity == 0 ? 0 : opacity) \
      \(blendMode.rawValue)\(options)
      """
  }

  /// The size of the mark on an image, which is at least one pixel a side.
  package func markSize(on size: PixelSize) -> PixelSize {
    guard let share else { return mark.size }
    let width = max(1, (Double(size.width) * share).rounded(.toNearestOrEven))
    let height = max(1, (Double(size.height) * share).rounded(.toNearestOrEven))
    let factor = min(width / Double(mark.size.width), height / Double(mark.size.height))
    return PixelSize(
      width: max(1, Int(pixels: Double(mark.size.width) * factor)),
      height: max(1, Int(pixels: Double(mark.size.height) * factor)))
  }

  package func process(_ bitmap: Bitmap) throws -> Bitmap {
    if case .anchored(_, let inset) = placement { try check(Double(inset), 0...100_000, "watermark inset") }
    try check(opacity, 0...1, "watermark opacity")
    try check(share ?? 0, 0...1000, "watermark scale")
    let size = markSize(on: bitmap.size)
    let mark = try BuiltInProcessor.resize(.exact(width: size.width, height: size.height))
      .process(try mark.converted(to: bitmap.colorSpace))
    let (lefts, tops) = positions(of: size, in: bitmap.size)
    var marked = bitmap
    try marked.draw(mark, lefts: lefts, tops: tops, opacity: opacity, blendMode: blendMode)
    return marked
  }

  private func check(_ value: Double, _ range: ClosedRange<Double>, _ name: String) throws(ImageProcessingError) {
    guard range.contains(value) else { throw .invalidParameter(name, value: value, allowed: range) }
  }

  /// The left edges of the marks, and their top edges.
  private func positions(of mark: PixelSize, in size: PixelSize) -> (lefts: [Int], tops: [Int]) {
    guard isRepeated else {
      let (left, top) = placement.corner(of: mark, in: size, mayOverhang: true)
      return ([left], [top])
    }
    let (x, y) = placement.spaces(in: size)
    return (
      Self.tiles(of: mark.width, space: x, in: size.width), Self.tiles(of: mark.height, space: y, in: size.height)
    )
  }

  /// The starts of an odd number of tiles along a length, so that one is in the centre.
  private static func tiles(of mark: Int, space: Int, in length: Int) -> [Int] {
    let step = max(leastStep, mark + max(0, space))
    let count = (length + step - 1) / step | 1
    let first = (step - mark) / 2 - (count * step - length) / 2
    return Array(stride(from: first, to: length, by: step))
  }
}

extension Placement {
  /// The pixels between two repeated marks.
  fileprivate func spaces(in size: PixelSize) -> (x: Int, y: Int) {
    switch self {
    case .anchored(_, let inset): (inset, inset)
    case .gravity(let gravity, let scale):
      (
        Gravity.pixels(gravity.x, of: size.width, scale: scale),
        Gravity.pixels(gravity.y, of: size.height, scale: scale)
      )
    }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Draws a watermark over the image, at its own size or at a share of the image's.
  ///
  /// Hashes the pixels of the watermark, at about one millisecond per megabyte.
  ///
  /// - Parameters:
  ///   - mark: The watermark, clipped to the image.
  ///   - anchor: The position of the watermark in the image. Default: the lower right corner.
  ///   - inset: The distance from the edges in pixels, 0 to 100,000; of repeated marks the space between two.
  ///   - opacity: From invisible, 0, to unchanged, 1.
  ///   - blendMode: How the colours are blended.
  ///   - scale: The size as a share of the image's, at most 1000, inside which the mark keeps its aspect ratio. Default:
  ///     `nil`, its own size.
  ///   - isRepeated: Whether the mark is repeated over the whole image, from its centre. Default: no.
  public static func watermark(
    _ mark: Bitmap, at anchor: CropAnchor = CropAnchor(x: 1, y: 1), inset: Int = 0, opacity: Double = 1,
    blendMode: BlendMode = .normal, scale: Double? = nil, isRepeated: Bool = false
  ) -> Self {
    BuiltInProcessor(
      WatermarkProcessor(
        mark, at: .anchored(anchor, inset: inset), opacity: opacity, blendMode: blendMode, share: scale,
        isRepeated: isRepeated))
  }
}
