import Halcyon

/// An image that `halcyon get` has loaded.
struct GetReport {
  let address: String
  let response: ImageResponse
  let milliseconds: Double
  var output: String?
  /// Whether the output has only the first frame of an animation.
  var isStill = false

  private var info: ImageInfo { response.image.info }
  private var size: PixelSize { response.image.size }

  /// The output of `halcyon get --json`.
  var fields: [String: (any Encodable)?] {
    [
      "address": address, "origin": response.origin.rawValue, "format": info.format.rawValue, "width": size.width,
      "height": size.height, "sourceWidth": info.pixelSize.width, "sourceHeight": info.pixelSize.height,
      "milliseconds": milliseconds, "encodedBytes": response.encodedByteCount, "frames": info.frameCount,
      "output": output, "isStill": isStill,
    ]
  }

  var line: String {
    let original = size == info.pixelSize ? "" : " from \(info.pixelSize)"
    let bytes = response.encodedByteCount.map { ", \($0) bytes" } ?? ""
    let still = isStill ? ", only the first of \(info.frameCount) frames" : ""
    return """
      \(info.format.rawValue) \(size)\(original), \(response.origin.rawValue), \(milliseconds) ms\(bytes)\
      \(output.map { " -> \($0)" } ?? "")\(still)
      """
  }
}
