import Foundation
import HalcyonSupport

/// Crops an image to a size around the place that attracts attention: edges, colours of skin, and saturated colours.
///
/// The measure is libvips' `attention`, by which imgproxy crops. It is taken on the image reduced to 32 by 32 pixels,
/// and blurred by an amount that follows from the size of the crop.
package struct SmartCropProcessor: GeometryProcessor {
  private static let side = 32

  private let size: PixelSize
  private let place: SmartCropPlace?

  /// - Parameter place: Keeps the place in the first image for all further ones.
  package init(_ size: PixelSize, place: SmartCropPlace? = nil) { (self.size, self.place) = (size, place) }

  package var identifier: String { "halcyon.smartCrop \(size.width) \(size.height)" }

  package func geometry(of bitmap: Bitmap) throws -> BitmapGeometry? {
    let width = min(size.width, bitmap.size.width)
    let height = min(size.height, bitmap.size.height)
    try (1...1_000_000).check(size.width, "crop width")
    try (1...1_000_000).check(size.height, "crop height")
    guard width < bitmap.size.width || height < bitmap.size.height else { return nil }
    let (left, top) = try place?.known ?? position(width: width, height: height, in: bitmap)
    place?.keep(left: left, top: top)
    return BitmapGeometry(PixelArea(left: left, top: top, width: width, height: height))
  }

  /// The upper left corner of the crop.
  package func position(width: Int, height: Int, in bitmap: Bitmap) throws -> (left: Int, top: Int) {
    let side = Self.side
    let scale = (Double(side) / Double(bitmap.size.width), Double(side) / Double(bitmap.size.height))
    // Means of whole pixels to eight times the size take a fraction of the time, and place crops where the filter alone does.
    let shrunk = try bitmap.shrunk(
      by: (x: max(1, bitmap.size.width / (8 * side)), y: max(1, bitmap.size.height / (8 * side))))
    let whole = TargetSize.exact(width: side, height: side).geometry(for: shrunk.size)
    let reduced = try shrunk.scaled(to: whole) { CancellationFlag.isCurrentCancelled }
    let extent = (Double(width) * scale.0, Double(height) * scale.1)
    let sigma = max(1, (extent.0 * extent.0 + extent.1 * extent.1).squareRoot() / 10)
    let scores = Self.blurred(Self.scores(of: reduced), sigma: sigma)
    let best = scores.indices.max { scores[$0] < scores[$1] } ?? 0
    let left = Int(pixels: (Double(best % side) / scale.0).rounded(.down)) - width / 2
    let top = Int(pixels: (Double(best / side) / scale.1).rounded(.down)) - height / 2
    return (max(0, min(left, bitmap.size.width - width)), max(0, min(top, bitmap.size.height - height)))
  }

  private static func scores(of bitmap: Bitmap) -> [Double] {
    let colors = (0..<side * side).map { XYZColor(bitmap[$0 % side, $0 / side]) }
    func light(_ x: Int, _ y: Int) -> Double { colors[min(max(y, 0), side - 1) * side + min(max(x, 0), side - 1)].y }
    return colors.indices.map { index in
      let (x, y, color) = (index % side, index / side, colors[index])
      let edge = 4 * color.y - light(x - 1, y) - light(x + 1, y) - light(x, y - 1) - light(x, y + 1)
      return abs(5 * edge) + (color.y > 5 ? color.skin + color.greenRed : 0)
    }
  }

  /// A Gaussian blur, whose mask ends where the curve falls to a fifth of its height; edges are repeated.
  private static func blurred(_ values: [Double], sigma: Double) -> [Double] {
    var bell: [Double] = []
    for distance in 0..<side {
      let value = exp(-Double(distance * distance) / (2 * sigma * sigma))
      guard value >= 0.2 else { break }
      bell.append(value)
    }
    let reach = bell.count - 1
    let sum = bell.dropFirst().reduce(bell[0]) { $0 + 2 * $1 }
    func pass(_ values: [Double], _ step: (dx: Int, dy: Int)) -> [Double] {
      values.indices.map { index in
        (-reach...reach).reduce(0) { total, offset in
          let x = min(max(index % side + offset * step.dx, 0), side - 1)
          let y = min(max(index / side + offset * step.dy, 0), side - 1)
          return total + values[y * side + x] * bell[abs(offset)]
        } / sum
      }
    }
    return pass(pass(values, (1, 0)), (0, 1))
  }
}

/// Where the first frame of an animation was cropped, so that all frames are cropped there.
package final class SmartCropPlace: Sendable {
  private let corner = Lock<(left: Int, top: Int)?>(nil)

  package init() {}

  fileprivate var known: (left: Int, top: Int)? { corner.withLock { $0 } }

  fileprivate func keep(left: Int, top: Int) { corner.withLock { $0 = (left, top) } }
}

/// A colour in the CIE's coordinates, with 100 as white.
private struct XYZColor {
  let x, y, z: Double

  init(_ pixel: (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)) {
    let red = SRGBTransferFunction.light(Double(pixel.red) / 255)
    let green = SRGBTransferFunction.light(Double(pixel.green) / 255)
    let blue = SRGBTransferFunction.light(Double(pixel.blue) / 255)
    x = 100 * (0.4124 * red + 0.3576 * green + 0.1805 * blue)
    y = 100 * (0.2126 * red + 0.7152 * green + 0.0722 * blue)
    z = 100 * (0.0193 * red + 0.1192 * green + 0.9505 * blue)
  }

  /// How near the colour is to skin, whatever its lightness; 100 is the colour of skin.
  var skin: Double {
    let length = (x * x + y * y + z * z).squareRoot()
    let (dx, dy, dz) = (x / length - 0.78, y / length - 0.57, z / length - 0.44)
    return 100 - 100 * (dx * dx + dy * dy + dz * dz).squareRoot()
  }

  /// The axis from green to red of CIELAB.
  var greenRed: Double { 500 * (Self.root(x / 95.047) - Self.root(y / 100)) }

  private static func root(_ value: Double) -> Double {
    value > 0.008856 ? cbrt(value) : 7.787 * value + 16.0 / 116
  }
}
