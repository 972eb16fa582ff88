import Foundation
import HalcyonSupport

extension GainMap {
  /// A standard picture, and the map with which it becomes a picture of half floats again; no map if nothing is brighter
  /// than white.
  ///
  /// The map is grey and has half the size: it says how much brighter the largest channel of each pixel becomes.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  package static func derived(from bitmap: Bitmap) throws -> (base: Bitmap, map: GainMap?) {
    let base = try bitmap.inStandardRange()
    guard bitmap.dynamicRange == .high, bitmap.peak > 1 else { return (base, nil) }
    let size = PixelSize(width: (bitmap.size.width + 1) / 2, height: (bitmap.size.height + 1) / 2)
    var parameters = Parameters()
    let stops = try stops(from: base, to: bitmap, size, offset: Float(parameters.offsetSDR.x))
    let (low, high) = stops.reduce((Float(0), Float(0))) { (min($0.0, $1), max($0.1, $1)) }
    (parameters.gainMin, parameters.gainMax) = (SIMD3(repeating: Double(low)), SIMD3(repeating: Double(high)))
    parameters.capacityMax = log2(Double(bitmap.peak))
    guard parameters.isValid else { return (base, nil) }
    let map = try Bitmap(size: size, isOpaque: true) { pixels in
      for (index, stops) in stops.enumerated() {
        let sample = UInt32(fraction(stops, low, high))
        pixels.storeBytes(of: (sample * 0x01_0101 | 0xFF00_0000).littleEndian, toByteOffset: 4 * index, as: UInt32.self)
      }
    }
    return (base, GainMap(map, isGrey: true, parameters))
  }

  private static func fraction(_ stops: Float, _ low: Float, _ high: Float) -> Float {
    high > low ? (255 * (stops - low) / (high - low)).rounded() : 0
  }

  /// The mean gain of each two by two pixels.
  private static func stops(from base: Bitmap, to bitmap: Bitmap, _ size: PixelSize, offset: Float) throws -> [Float] {
    let light = (0...255).map { Float(SRGBTransferFunction.light(Double($0) / 255)) }
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    return try bitmap.withUnsafeBytes { halves in
      try base.withUnsafeBytes { bytes in
        let halves = halves.bindMemory(to: SIMD4<UInt16>.self)
        var stops = [Float](repeating: 0, count: size.pixelCount)
        for row in 0..<size.height {
          try CancellationFlag.checkCurrent(atRow: row)
          for column in 0..<size.width {
            var sum: Float = 0
            for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
              let index = min(2 * row + y, height - 1) * width + min(2 * column + x, width - 1)
              let pixel = halves[index]
              let bright = max(HalfFloat.number(pixel.x), HalfFloat.number(pixel.y), HalfFloat.number(pixel.z), 0)
              let shown = light[Int(max(bytes[4 * index], bytes[4 * index + 1], bytes[4 * index + 2]))]
              sum += log2((bright + offset) / (shown + offset))
            }
            stops[row * size.width + column] = sum / 4
          }
        }
        return stops
      }
    }
  }
}
