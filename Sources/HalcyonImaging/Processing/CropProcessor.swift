/// Crops an image to a rectangle.
struct CropProcessor: GeometryProcessor {
  private enum Position {
    case at(x: Int, y: Int)
    case anchored(CropAnchor)
  }

  private let position: Position
  private let width: Int
  private let height: Int

  init(x: Int, y: Int, width: Int, height: Int) {
    (position, self.width, self.height) = (.at(x: x, y: y), width, height)
  }

  init(width: Int, height: Int, anchor: CropAnchor) {
    (position, self.width, self.height) = (.anchored(anchor), width, height)
  }

  var identifier: String {
    let identity = ProcessorIdentity("crop").adding(width).adding(height)
    return switch position {
    case .at(let x, let y): identity.adding(text: "at").adding(x).adding(y).text
    case .anchored(let anchor): identity.adding(text: "anchor").adding(anchor.x).adding(anchor.y).text
    }
  }

  func geometry(of bitmap: Bitmap) throws -> BitmapGeometry? {
    let limits = 1...Double(Int.max)
    try limits.check(width, "crop width")
    try limits.check(height, "crop height")
    let (columns, rows) =
      switch position {
      case .at(let x, let y):
        (
          Self.part(from: x, count: width, of: bitmap.size.width),
          Self.part(from: y, count: height, of: bitmap.size.height)
        )
      case .anchored(let anchor):
        (
          Self.part(at: anchor.x, count: width, of: bitmap.size.width),
          Self.part(at: anchor.y, count: height, of: bitmap.size.height)
        )
      }
    guard !columns.isEmpty, !rows.isEmpty else { throw ImageProcessingError.emptyCrop(bitmap.size) }
    return BitmapGeometry(
      PixelArea(left: columns.lowerBound, top: rows.lowerBound, width: columns.count, height: rows.count))
  }

  private static func part(from start: Int, count: Int, of length: Int) -> Range<Int> {
    let (end, overflow) = start.addingReportingOverflow(count)
    return (start..<(overflow ? Int.max : end)).clamped(to: 0..<length)
  }

  private static func part(at anchor: Double, count: Int, of length: Int) -> Range<Int> {
    let count = min(count, length)
    let start = Int((Double(length - count) * anchor).rounded())
    return start..<(start + count)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Crops to a rectangle whose position is relative to the upper left corner, in pixels.
  ///
  /// The rectangle is clipped to the image; one that is outside it, or has a side below 1, is an error.
  public static func crop(x: Int, y: Int, width: Int, height: Int) -> Self {
    BuiltInProcessor(CropProcessor(x: x, y: y, width: width, height: height))
  }

  /// Crops to a size in pixels so that the anchor stays in place; sides at least 1.
  ///
  /// A side longer than the image's is reduced to it. ``CropAnchor/smart`` finds the part in the pixels.
  public static func crop(width: Int, height: Int, anchor: CropAnchor = .center) -> Self {
    anchor.isSmart
      ? BuiltInProcessor(SmartCropProcessor(PixelSize(width: width, height: height)))
      : BuiltInProcessor(CropProcessor(width: width, height: height, anchor: anchor))
  }
}
