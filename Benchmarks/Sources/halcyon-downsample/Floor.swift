import Foundation
import Halcyon
import PeerShim

/// Work of the codec's library alone, without resampling.
enum Floor: String {
  /// Decoding the entropy-coded data of a JPEG file.
  case entropy
  /// Decoding a JPEG file to planes at the scale that Halcyon decodes it at.
  case libjpeg
  /// Decoding a lossy WebP file to planes, without the loop filter where Halcyon skips it.
  case libwebp

  static func floors(of file: CorpusFile, width: Int) -> [Floor] {
    switch file.kind {
    case "jpeg_baseline": width == 200 ? [.entropy, .libjpeg] : [.libjpeg]
    case "jpeg_progressive": [.libjpeg]
    case "webp": [.libwebp]
    default: []
    }
  }

  func run(_ file: CorpusFile, width: Int) {
    let reduction = Double(file.info.storedSize.width) / Double(width)
    let isDone = file.bytes.withUnsafeBytes { bytes in
      let start = bytes.bindMemory(to: UInt8.self).baseAddress
      switch self {
      case .entropy: return peer_entropy_decode(start, bytes.count)
      case .libjpeg:
        // At least two samples for each pixel of the thumbnail.
        let eighths = [1, 2, 4].first { reduction * Double($0) / 8 >= 2 } ?? 8
        return peer_scaled_decode(start, bytes.count, Int32(eighths))
      case .libwebp: return peer_webp_decode(start, bytes.count, reduction >= 3)
      }
    }
    precondition(isDone, "\(file.name) cannot be decoded by its library alone")
  }
}
