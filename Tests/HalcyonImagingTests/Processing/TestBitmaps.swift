import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonImaging

typealias Pixel = SIMD4<UInt8>

extension Bitmap {
  /// Creates a bitmap of given pixels, in rows of equal length.
  init(rows: [[Pixel]]) throws {
    let pixels = rows.flatMap(\.self)
    let size = PixelSize(width: rows[0].count, height: rows.count)
    try self.init(size: size, isOpaque: pixels.allSatisfy { $0.w == 255 }) { bytes in
      for (index, pixel) in pixels.enumerated() {
        bytes.storeBytes(of: pixel, toByteOffset: index * 4, as: Pixel.self)
      }
    }
  }

  /// Creates a bitmap of one row of opaque greys.
  init(grays: [UInt8]) throws { try self.init(rows: [grays.map { Pixel($0, $0, $0, 255) }]) }

  /// Random pixels: a third transparent, a third opaque, a third with any alpha.
  static func noise(width: Int, height: Int, isOpaque: Bool = false, seed: UInt64 = 7) throws -> Bitmap {
    var numbers = SplitMix(state: seed)
    return try Bitmap(
      rows: (0..<height).map { _ in (0..<width).map { _ in numbers.pixel(isOpaque: isOpaque) } })
  }

  /// All pixels, row by row.
  var rows: [[Pixel]] {
    (0..<size.height).map { row in
      (0..<size.width).map { column in
        let pixel = self[column, row]
        return Pixel(pixel.red, pixel.green, pixel.blue, pixel.alpha)
      }
    }
  }

  /// The red values of the first row.
  var reds: [UInt8] { rows[0].map(\.x) }
}

extension SplitMix {
  fileprivate mutating func pixel(isOpaque: Bool) -> Pixel {
    let alpha = isOpaque ? 255 : [0, 255, UInt8.random(in: 0...255, using: &self)].randomElement(using: &self) ?? 0
    func part(_ numbers: inout SplitMix) -> UInt8 { UInt8.random(in: 0...alpha, using: &numbers) }
    return Pixel(part(&self), part(&self), part(&self), alpha)
  }
}
