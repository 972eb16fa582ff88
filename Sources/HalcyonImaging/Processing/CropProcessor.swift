/// Cuts a rectangle out of an image.
public struct CropProcessor: ImageProcessor, Hashable {
  private enum Position: Hashable {
    case at(x: Int, y: Int)
    case anchored(CropAnchor)
  }

  private let position: Position
  private let width: Int
  private let height: Int

  /// Cuts out a rectangle at a place counted from the upper left corner, in pixels. What of it lies outside of the
  /// image is left out.
  public init(x: Int, y: Int, width: Int, height: Int) {
    (position, self.width, self.height) = (.at(x: x, y: y), width, height)
  }

  /// Cuts out a rectangle so that the anchor stays, in pixels. A side longer than the image's is as long as that.
  public init(width: Int, height: Int, anchor: CropAnchor = .center) {
    (position, self.width, self.height) = (.anchored(anchor), width, height)
  }

  /// The name and all parameters.
  public var identifier: String {
    let identity = ProcessorIdentity("crop").adding(width).adding(height)
    return switch position {
    case .at(let x, let y): identity.adding(text: "at").adding(x).adding(y).text
    case .anchored(let anchor): identity.adding(text: "anchor").adding(anchor.x).adding(anchor.y).text
    }
  }

  /// The rectangle's pixels.
  ///
  /// - Throws: ``ImageProcessingError`` when a side is below 1 or nothing of the rectangle lies inside the image.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    let limits = 1...Double(Int.max)
    try limits.check(width, "crop width")
    try limits.check(height, "crop height")
    let columns = columns(in: bitmap.size.width)
    let rows = rows(in: bitmap.size.height)
    guard !columns.isEmpty, !rows.isEmpty else { throw ImageProcessingError.emptyCrop(bitmap.size) }
    return try bitmap.cropped(columns: columns, rows: rows)
  }

  private func columns(in length: Int) -> Range<Int> {
    switch position {
    case .at(let x, _): Self.part(from: x, count: width, of: length)
    case .anchored(let anchor): Self.part(at: anchor.x, count: width, of: length)
    }
  }

  private func rows(in length: Int) -> Range<Int> {
    switch position {
    case .at(_, let y): Self.part(from: y, count: height, of: length)
    case .anchored(let anchor): Self.part(at: anchor.y, count: height, of: length)
    }
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

extension ImageProcessor where Self == CropProcessor {
  /// Cuts out a rectangle at a place counted from the upper left corner, in pixels.
  public static func crop(x: Int, y: Int, width: Int, height: Int) -> Self {
    CropProcessor(x: x, y: y, width: width, height: height)
  }

  /// Cuts out a rectangle of at most so many pixels so that the anchor stays.
  public static func crop(width: Int, height: Int, anchor: CropAnchor = .center) -> Self {
    CropProcessor(width: width, height: height, anchor: anchor)
  }
}

extension Bitmap {
  /// The pixels where some columns and rows meet, at least one of each.
  func cropped(columns: Range<Int>, rows: Range<Int>) throws -> Bitmap {
    let cropSize = PixelSize(width: columns.count, height: rows.count)
    guard cropSize != size else { return self }
    return try redrawn(size: cropSize, isOpaque: isOpaque) { source, result in
      for row in rows {
        let line = UnsafeBufferPointer(
          rebasing: source[(row * size.width + columns.lowerBound)...].prefix(columns.count))
        let start = (row - rows.lowerBound) * columns.count
        _ = UnsafeMutableBufferPointer(rebasing: result[start..<(start + columns.count)]).update(fromContentsOf: line)
      }
    }
  }
}
