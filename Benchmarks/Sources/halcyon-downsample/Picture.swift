import Foundation
import Halcyon
import PeerShim

/// The brightness of a picture, as numbers from 0 to 255.
struct Picture {
  var width: Int
  var height: Int
  var samples: [Float]

  init(_ bitmap: Bitmap) {
    self.init(width: bitmap.size.width, height: bitmap.size.height, channels: 4) { body in
      bitmap.withUnsafeBytes { body($0) }
    }
  }

  /// libvips does not multiply colours by alpha in its results.
  init(_ peer: peer_picture) {
    let count = Int(peer.width) * Int(peer.height) * Int(peer.channels)
    self.init(width: Int(peer.width), height: Int(peer.height), channels: Int(peer.channels), isStraight: true) {
      body in
      body(UnsafeRawBufferPointer(start: peer.pixels, count: count))
    }
  }

  init(width: Int, height: Int, samples: [Float]) {
    self.width = width
    self.height = height
    self.samples = samples
  }

  private init(
    width: Int, height: Int, channels: Int, isStraight: Bool = false,
    _ withBytes: ((UnsafeRawBufferPointer) -> Void) -> Void
  ) {
    var samples = [Float](repeating: 0, count: width * height)
    withBytes { bytes in
      for pixel in 0..<width * height {
        let start = pixel * channels
        var luma = Float(bytes[start])
        if channels >= 3 {
          luma = 0.299 * luma + 0.587 * Float(bytes[start + 1]) + 0.114 * Float(bytes[start + 2])
        }
        if isStraight, channels % 2 == 0 { luma *= Float(bytes[start + channels - 1]) / 255 }
        samples[pixel] = luma
      }
    }
    self.init(width: width, height: height, samples: samples)
  }
}
