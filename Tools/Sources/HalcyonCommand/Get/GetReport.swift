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
  let output: String?

  init(address: String, response: ImageResponse, elapsed: Duration, output: String?) {
    self.address = address
    origin = response.origin.rawValue
    format = response.image.info.format.rawValue
    (width, height) = (response.image.size.width, response.image.size.height)
    let source = response.image.info.pixelSize
    (sourceWidth, sourceHeight) = (source.width, source.height)
    milliseconds = elapsed.roundedMilliseconds
    encodedBytes = response.encodedByteCount
    self.output = output
  }

  var line: String {
    let original = width == sourceWidth && height == sourceHeight ? "" : " from \(sourceWidth)x\(sourceHeight)"
    let bytes = encodedBytes.map { ", \($0) bytes" } ?? ""
    return
      "\(format) \(width)x\(height)\(original), \(origin), \(milliseconds) ms\(bytes)\(output.map { " -> \($0)" } ?? "")"
  }
}
