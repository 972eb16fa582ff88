import HalcyonImaging

/// One bit a pixel behind the colours of an icon, from the bottom row to the top one: 1 where it is transparent.
struct ICOMask {
  private let bytes: UnsafeRawBufferPointer
  private let start: Int
  private let size: PixelSize

  init(bytes: UnsafeRawBufferPointer, start: Int, size: PixelSize) {
    self.bytes = bytes
    self.start = start
    self.size = size
  }

  /// Sets the alpha of every pixel; all are opaque where the mask is missing.
  func apply(to pixels: UnsafeMutablePointer<UInt8>) {
    let bytesPerRow = (size.width + 31) / 32 * 4
    let isThere = start + bytesPerRow * (size.height - 1) + (size.width + 7) / 8 <= bytes.count
    for row in 0..<size.height {
      let stored = start + (size.height - 1 - row) * bytesPerRow
      for column in 0..<size.width {
        let isMasked = isThere && bytes[stored + column / 8] >> UInt8(7 - column % 8) & 1 == 1
        pixels[(row * size.width + column) * 4 + 3] = isMasked ? 0 : 255
      }
    }
  }
}
