import BenchMetric
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import PeerShim

/// Processors on an image of one megapixel, compared with libvips; measured alternately, on one thread each.
enum ProcessorBenchmark {
  static func run() throws {
    let size = PixelSize(width: 1024, height: 1024)
    let bitmap = try Bitmap(size: size, isOpaque: true) { pixels in
      for index in pixels.indices {
        pixels[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* 37 >> 3)
      }
    }
    let blur = BuiltInProcessor.blur(radius: 8)
    try compare("blur_radius8_1mp", bitmap, own: { _ = try blur.process(bitmap) }) { pixels, result in
      peer_blur(pixels, Int32(size.width), Int32(size.height), 8, result)
    }
    let resize = BuiltInProcessor.resize(.fit(width: 400, height: 400))
    try compare("resize_1mp_to_400px", bitmap, own: { _ = try resize.process(bitmap) }) { pixels, result in
      peer_resize(pixels, Int32(size.width), Int32(size.height), 400.0 / 1024, result)
    }
  }

  private static func compare(
    _ name: String, _ bitmap: Bitmap, own work: () throws -> Void,
    peer: (UnsafePointer<UInt8>?, UnsafeMutablePointer<peer_image>) -> Bool
  ) throws {
    var (own, other): ([Double], [Double]) = ([], [])
    for round in 0...rounds(11) {
      let time = try Clock.milliseconds(work)
      let peerTime = bitmap.withUnsafeBytes { bytes in
        Clock.milliseconds {
          var result = peer_image()
          defer { free(result.pixels) }
          let isDone = peer(bytes.bindMemory(to: UInt8.self).baseAddress, &result)
          precondition(isDone, "libvips failed at \(name): \(String(cString: peer_message()))")
        }
      }
      guard round > 0 else { continue }
      own.append(time)
      other.append(peerTime)
    }
    print("METRIC \(name) \(median(own)) ms")
    print("METRIC \(name)_libvips \(median(other)) ms")
    print("METRIC \(name)_to_libvips \(median(own) / median(other)) ratio goal <= 1")
  }
}
