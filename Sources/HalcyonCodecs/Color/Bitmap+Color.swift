import HalcyonImaging

extension Bitmap {
  /// Turns the colours into sRGB.
  ///
  /// - Parameter transform: One for four bytes a pixel.
  mutating func convertColors(with transform: ColorTransform) throws(BitmapError) {
    let (size, isOpaque, bytesPerRow) = (size, isOpaque, bytesPerRow)
    try withUnsafeMutableBytes { bytes in
      guard var row = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      for _ in 0..<size.height {
        if isOpaque {
          transform.convert(row, to: row, count: size.width)
        } else {
          transform.convertPremultiplied(row, count: size.width)
        }
        row += bytesPerRow
      }
    }
  }
}
