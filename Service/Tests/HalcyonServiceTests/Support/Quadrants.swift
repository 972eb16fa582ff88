import Foundation
import Halcyon
import HalcyonCodecs

/// An image of four colours: red and green above, blue and white below.
enum Quadrants {
  static let colors: [PixelColor] = [
    PixelColor(red: 255, green: 0, blue: 0), PixelColor(red: 0, green: 255, blue: 0),
    PixelColor(red: 0, green: 0, blue: 255), PixelColor(red: 255, green: 255, blue: 255),
  ]

  static func bitmap(width: Int = 80, height: Int = 60, alpha: UInt8 = 255) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height), isOpaque: alpha == 255) { bytes in
      for row in 0..<height {
        for column in 0..<width {
          let color = colors[(row < height / 2 ? 0 : 2) + (column < width / 2 ? 0 : 1)]
          for (channel, value) in [color.red, color.green, color.blue, 255].enumerated() {
            bytes[(row * width + column) * 4 + channel] = UInt8(Int(value) * Int(alpha) / 255)
          }
        }
      }
    }
  }

  static func png(width: Int = 80, height: Int = 60, alpha: UInt8 = 255) throws -> Data {
    try DecodedImage(bitmap: bitmap(width: width, height: height, alpha: alpha)).encoded(as: .png)
  }

  static func jpeg(width: Int = 80, height: Int = 60) throws -> Data {
    try DecodedImage(bitmap: bitmap(width: width, height: height)).encoded(as: .jpeg, quality: 0.9)
  }
}

extension Bitmap {
  /// The letter of the colour at a position, given in shares of the sides: r, g, b, w, k for black, `.` for
  /// transparent, and ? for any other.
  func letter(_ x: Double, _ y: Double) -> Character {
    let pixel = self[
      min(size.width - 1, Int(Double(size.width) * x)), min(size.height - 1, Int(Double(size.height) * y))]
    if pixel.alpha < 10 { return "." }
    func isNear(_ red: Int, _ green: Int, _ blue: Int) -> Bool {
      abs(Int(pixel.red) - red) < 40 && abs(Int(pixel.green) - green) < 40 && abs(Int(pixel.blue) - blue) < 40
    }
    if isNear(255, 0, 0) { return "r" }
    if isNear(0, 255, 0) { return "g" }
    if isNear(0, 0, 255) { return "b" }
    if isNear(255, 255, 255) { return "w" }
    return isNear(0, 0, 0) ? "k" : "?"
  }

  /// The letters near the four corners: upper left, upper right, lower left, lower right.
  var corners: String {
    String([letter(0.02, 0.02), letter(0.98, 0.02), letter(0.02, 0.98), letter(0.98, 0.98)])
  }
}
