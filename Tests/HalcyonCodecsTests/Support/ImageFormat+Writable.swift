import HalcyonCodecs
import HalcyonImaging

extension ImageFormat {
  /// Whether this platform has an encoder for the format: Apple's have none for WebP.
  var isWritable: Bool { StandardCodecs.encoders.contains { $0.format == self } }
}
