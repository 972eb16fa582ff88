import HalcyonImaging

/// An image of six coloured tiles, which looks different in every orientation.
struct Mosaic {
  static let tileSide = 16
  static let stored = Mosaic(rows: ["RG", "BW", "KY"])

  /// One letter per tile.
  let rows: [String]

  /// The expected upright mosaic, derived by hand.
  static func upright(_ orientation: ImageOrientation) -> Mosaic {
    switch orientation {
    case .up: stored
    case .upMirrored: Mosaic(rows: ["GR", "WB", "YK"])
    case .down: Mosaic(rows: ["YK", "WB", "GR"])
    case .downMirrored: Mosaic(rows: ["KY", "BW", "RG"])
    case .leftMirrored: Mosaic(rows: ["RBK", "GWY"])
    case .right: Mosaic(rows: ["KBR", "YWG"])
    case .rightMirrored: Mosaic(rows: ["YWG", "KBR"])
    case .left: Mosaic(rows: ["GWY", "RBK"])
    }
  }

  var size: PixelSize {
    PixelSize(width: (rows.first?.count ?? 0) * Self.tileSide, height: rows.count * Self.tileSide)
  }

  func color(_ column: Int, _ row: Int) -> Color {
    let line = Array(rows[row / Self.tileSide])
    return Self.colors[line[column / Self.tileSide]] ?? Color()
  }

  func bitmap() throws -> Bitmap {
    try Bitmap.painted(size.width, size.height) { color($0, $1) }
  }

  /// The largest difference of a channel inside the tiles; edges between tiles are blurred.
  func largestDifference(to bitmap: Bitmap, window: PixelRectangle) -> Int {
    var largest = 0
    for row in 0..<bitmap.size.height {
      for column in 0..<bitmap.size.width {
        let x = window.x + (Double(column) + 0.5) * window.width / Double(bitmap.size.width)
        let y = window.y + (Double(row) + 0.5) * window.height / Double(bitmap.size.height)
        guard isInsideTile(x), isInsideTile(y) else { continue }
        let distance = color(Int(x), Int(y)) &- bitmap.color(column, row)
        largest = (0..<4).reduce(largest) { max($0, abs(distance[$1])) }
      }
    }
    return largest
  }

  private func isInsideTile(_ position: Double) -> Bool {
    (5...11).contains(position.truncatingRemainder(dividingBy: Double(Self.tileSide)))
  }

  private static let colors: [Character: Color] = [
    "R": Color(255, 0, 0, 255), "G": Color(0, 255, 0, 255), "B": Color(0, 0, 255, 255),
    "W": Color(255, 255, 255, 255), "K": Color(0, 0, 0, 255), "Y": Color(255, 255, 0, 255),
  ]
}
