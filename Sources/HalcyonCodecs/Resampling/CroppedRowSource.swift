import HalcyonImaging

/// The part of an image that a result needs: the rows above it are skipped, and those below it are read only for damage.
final class CroppedRowSource: RowSource {
  private static let rowsPerSkip = 256

  var size: PixelSize { area.size }
  var isOpaque: Bool { rows.isOpaque }
  var dynamicRange: DynamicRange { rows.dynamicRange }

  private let rows: any RowSource
  private let area: PixelArea
  private let readsToEnd: Bool
  private let isCancelled: () -> Bool
  private var nextRow = 0
  private var row: [UInt8]

  /// - Parameters:
  ///   - area: Inside the rows.
  ///   - readsToEnd: Whether damage after the area is an error.
  init(
    _ rows: any RowSource, to area: PixelArea, readsToEnd: Bool, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    (self.rows, self.area, self.readsToEnd, self.isCancelled) = (rows, area, readsToEnd, isCancelled)
    let isNarrow = area.width < rows.size.width
    row = Array(repeating: 0, count: isNarrow ? rows.size.width * rows.dynamicRange.bytesPerPixel : 0)
    try rows.limit(to: area)
  }

  func readRow(into target: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    if nextRow == 0 { try skip(to: area.top) }
    nextRow += 1
    guard !row.isEmpty else { return try rows.readRow(into: target) }
    let pixel = dynamicRange.bytesPerPixel
    try row.withUnsafeMutableBufferPointer { (row) throws(ImageDecodingError) in
      guard let start = row.baseAddress else { return }
      try rows.readRow(into: start)
      target.update(from: start + area.left * pixel, count: area.width * pixel)
    }
  }

  func finish() throws(ImageDecodingError) {
    guard readsToEnd else { return rows.stop() }
    try skip(to: rows.size.height)
    try rows.finish()
  }

  private func skip(to end: Int) throws(ImageDecodingError) {
    while nextRow < end {
      if isCancelled() { throw .cancelled }
      let count = min(end - nextRow, Self.rowsPerSkip)
      try rows.skipRows(count)
      nextRow += count
    }
  }
}

extension PixelArea {
  /// The area with a margin, and with edges at multiples of a unit or of the image.
  func expanded(by margin: Int, toMultiplesOf unit: Int, in image: PixelSize) -> PixelArea {
    let (left, top) = (max(0, left - margin) / unit * unit, max(0, top - margin) / unit * unit)
    func end(_ end: Int, _ limit: Int) -> Int { min(limit, (end + margin + unit - 1) / unit * unit) }
    return PixelArea(
      left: left, top: top, width: end(self.left + width, image.width) - left,
      height: end(self.top + height, image.height) - top)
  }
}

extension ResizeGeometry {
  /// The lobes of the Lanczos filter, and one sample for rounding.
  private static let reach = 4.0

  /// The pixels of a source that the result depends on, those included that the filter reads around the window, and the
  /// same geometry for a source that consists of these.
  ///
  /// - Parameters:
  ///   - size: The size of the source.
  ///   - unit: The edges of the area are multiples of it, except for those of the source.
  func part(of size: PixelSize, unit: PixelSize) -> (area: PixelArea, geometry: ResizeGeometry) {
    func side(_ start: Double, _ length: Double, _ output: Int, in whole: Int, _ unit: Int) -> Range<Int> {
      // A box filter before the Lanczos filter, and chroma with a quarter of the samples, reach further.
      let reach = Self.reach * max(4, length / Double(output)) + Double(unit)
      let first = max(0, Int(start - reach)) / unit * unit
      let last = (max(first + 1, Int((start + length + reach).rounded(.up))) + unit - 1) / unit * unit
      return first..<min(whole, last)
    }
    let columns = side(window.x, window.width, outputSize.width, in: size.width, unit.width)
    let rows = side(window.y, window.height, outputSize.height, in: size.height, unit.height)
    var geometry = self
    geometry.window.x -= Double(columns.lowerBound)
    geometry.window.y -= Double(rows.lowerBound)
    return (
      PixelArea(left: columns.lowerBound, top: rows.lowerBound, width: columns.count, height: rows.count), geometry
    )
  }

  /// For a narrow result, the geometry with some pixels more on each side, as far as the image has them, and the place of the
  /// wanted result in the wider one: zimg makes wrong pixels of a narrow part of subsampled planes, and reads memory outside
  /// its tables.
  func widened(inside size: PixelSize) -> (geometry: ResizeGeometry, crop: PixelArea) {
    guard min(outputSize.width, outputSize.height) < 64 else { return (self, PixelArea(size: outputSize)) }
    let (x, y) = (window.width / Double(outputSize.width), window.height / Double(outputSize.height))
    func margin(_ space: Double, _ step: Double) -> Int { min(16, max(0, Int(space / step))) }
    let (left, top) = (margin(window.x, x), margin(window.y, y))
    let right = margin(Double(size.width) - window.x - window.width, x)
    let bottom = margin(Double(size.height) - window.y - window.height, y)
    var wide = self
    wide.window.x -= Double(left) * x
    wide.window.y -= Double(top) * y
    wide.window.width += Double(left + right) * x
    wide.window.height += Double(top + bottom) * y
    wide.outputSize = PixelSize(width: outputSize.width + left + right, height: outputSize.height + top + bottom)
    return (wide, PixelArea(left: left, top: top, size: outputSize))
  }
}
