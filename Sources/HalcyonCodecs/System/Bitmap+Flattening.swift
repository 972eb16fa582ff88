import HalcyonImaging

extension Bitmap {
  /// The bitmap over a background colour, opaque; the bitmap itself if it is opaque already.
  func flattened(onto background: PixelColor) throws -> Bitmap {
    if isOpaque { return self }
    let background = background.converted(to: colorSpace)
    return try Bitmap(size: size, isOpaque: true, colorSpace: colorSpace) { output in
      withUnsafeBytes { bytes in
        guard let source = bytes.bindMemory(to: UInt8.self).baseAddress,
          let target = output.bindMemory(to: UInt8.self).baseAddress
        else { return }
        for row in 0..<size.height {
          let start = row * size.width * 4
          AlphaMath.flatten(source + row * bytesPerRow, count: size.width, onto: background, into: target + start)
          for alpha in stride(from: start + 3, to: start + size.width * 4, by: 4) { target[alpha] = 255 }
        }
      }
    }
  }
}
