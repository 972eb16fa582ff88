import Foundation
@testable import HalcyonImaging

extension Bitmap {
  /// The light of red, green and blue of each pixel.
  var light: [SIMD3<Float>] {
    withUnsafeBytes { bytes in
      bytes.bindMemory(to: SIMD4<UInt16>.self).map {
        SIMD3(HalfFloat.number($0.x), HalfFloat.number($0.y), HalfFloat.number($0.z))
      }
    }
  }

  /// Half floats from a file of the fixtures, in rows of RGBA.
  static func halves(_ path: String, width: Int, height: Int) throws -> Bitmap {
    let data = try Fixture.data(path)
    return try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true, dynamicRange: .high) {
      _ = data.copyBytes(to: $0)
    }
  }

  /// The mean difference of a channel, relative to reference white.
  func meanDifference(inLightTo other: Bitmap) -> Float {
    let differences = zip(light, other.light).map { abs($0.x - $1.x) + abs($0.y - $1.y) + abs($0.z - $1.z) }
    return differences.reduce(0, +) / Float(3 * max(1, differences.count))
  }

  /// The mean difference of a channel in stops, of light from a hundredth of reference white on.
  func meanStops(to other: Bitmap) -> Float {
    func stops(_ light: SIMD3<Float>) -> SIMD3<Float> {
      SIMD3(log2(max(light.x, 0.01)), log2(max(light.y, 0.01)), log2(max(light.z, 0.01)))
    }
    let differences = zip(light, other.light).map { left, right in
      let difference = stops(left) - stops(right)
      return abs(difference.x) + abs(difference.y) + abs(difference.z)
    }
    return differences.reduce(0, +) / Float(3 * max(1, differences.count))
  }
}

extension Bitmap {
  /// A bitmap of half floats with the premultiplied light that `light` returns for each column and row.
  static func lit(
    _ width: Int, _ height: Int, isOpaque: Bool = true, _ light: (_ column: Int, _ row: Int) -> SIMD4<Float>
  ) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height), isOpaque: isOpaque, dynamicRange: .high) { bytes in
      let pixels = bytes.bindMemory(to: SIMD4<UInt16>.self)
      for index in 0..<width * height { pixels[index] = HalfFloat.bits(light(index % width, index / width)) }
    }
  }

  func light(_ column: Int, _ row: Int) -> SIMD4<Float> {
    withUnsafeBytes { bytes in
      let pixel = bytes.bindMemory(to: SIMD4<UInt16>.self)[row * size.width + column]
      return SIMD4(
        HalfFloat.number(pixel.x), HalfFloat.number(pixel.y), HalfFloat.number(pixel.z), HalfFloat.number(pixel.w))
    }
  }

  /// The mean difference of a channel in levels of PQ with 10 bits.
  func levels(to other: Bitmap) -> Double {
    guard size == other.size else { return .infinity }
    let distances = (0..<size.pixelCount).map { index in
      light(index % size.width, index / size.width).levels(to: other.light(index % size.width, index / size.width))
    }
    return distances.reduce(0, +) / Double(distances.count)
  }
}

extension SIMD4<Float> {
  /// The largest difference of a colour channel in levels of PQ with 10 bits.
  func levels(to other: SIMD4<Float>) -> Double {
    (0..<3).map { channel in
      1023 * abs(PerceptualQuantizer.value(Double(self[channel])) - PerceptualQuantizer.value(Double(other[channel])))
    }.max() ?? 0
  }
}
