import Halcyon

/// The output of `halcyon get` for one image.
struct GetReport: Encodable {
  let address: String
  let origin: String
  let format: String
  let width: Int
  let height: Int
  let sourceWidth: Int
  let sourceHeight: Int
  let milliseconds: Double
  let encodedBytes: Int?
  /// The frames of an animation.
  let frames: Int
  let output: String?
  /// Whether the output has only the first frame of an animation.
  let isStill: Bool

  init(address: String, response: ImageResponse, elapsed: Duration, output: String?, isStill: Bool) {
    self.address = address
    origin = response.origin.rawValue
    format = response.image.info.format.rawValue
    (width, height) = (response.image.size.width, response.image.size.height)
    let source = response.image.info.pixelSize
    (sourceWidth, sourceHeight) = (source.width, source.height)
    milliseconds = elapsed.roundedMilliseconds
    encodedBytes = response.encodedByteCount
    frames = response.image.info.frameCount
    self.output = output
    self.isStill = isStill
  }

  var line: String {
    let original = width == sourceWidth && height == sourceHeight ? "" : " from \(sourceWidth)x\(sourceHeight)"
    let bytes = encodedBytes.map { ", \($0) bytes" } ?? ""
    let still = isStill ? ", only the first of \(frames) frames" : ""
    return """
      \(format) \(width)x\(height)\(original), \(origin), \(milliseconds) ms\(bytes)\(output.map { " -> \($0)" } ?? "")\(still)
      """
  }
}
