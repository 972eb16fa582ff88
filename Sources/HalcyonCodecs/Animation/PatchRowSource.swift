import HalcyonImaging

/// The rows of a canvas that shows one picture somewhere and is transparent elsewhere.
final class PatchRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let rows: any RowSource
  private let area: PixelArea
  private var row: [UInt32]
  private var nextRow = 0

  /// - Parameters:
  ///   - area: Where the rows belong; its size is theirs. Starts at or after the top left of the canvas.
  ///   - canvas: The size of the whole.
  init(_ rows: any RowSource, at area: PixelArea, on canvas: PixelSize) {
    self.rows = rows
    self.area = area
    size = canvas
    isOpaque = rows.isOpaque && area.covers(canvas)
    row = Array(repeating: 0, count: rows.size.width)
  }

  func readRow(into target: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    defer { nextRow += 1 }
    let isInside = nextRow >= area.y && nextRow < area.y + area.size.height
    if isInside { try rows.readRow(intoPixels: &row) }
    target.withMemoryRebound(to: UInt32.self, capacity: size.width) { pixels in
      for column in 0..<size.width {
        let source = column - area.x
        pixels[column] = isInside && source >= 0 && source < row.count ? row[source] : 0
      }
    }
  }

  func finish() throws(ImageDecodingError) { try rows.finish() }
}
