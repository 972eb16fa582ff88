import Foundation
import HalcyonImaging

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
