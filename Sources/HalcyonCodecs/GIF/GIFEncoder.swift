package import HalcyonImaging
package import Foundation

/// Encodes GIF, still and animated.
///
/// A frame with at most 255 colours keeps them; any other is quantised to 255 colours by median cut, with
/// Floyd–Steinberg dithering. Colours are converted to sRGB. Pixels with less than half alpha become transparent, others opaque. The quality of the
/// options is ignored.
package struct GIFEncoder: ImageEncoder {
  private static let sideLimit = 65_535

  /// Creates an encoder; it has no state.
  package init() {}

  /// GIF.
  package var format: ImageFormat { .gif }

  /// Encodes a still image.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,535 pixels.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    try rejectMetadata(options)
    var file = try header(bitmap.size)
    try append(bitmap.converted(to: .sRGB), hundredths: 0, isAnimated: false, to: &file)
    return file + [0x3B]
  }

  /// Encodes an animation; every frame covers the whole canvas and has its own colour table.
  ///
  /// - Parameters:
  ///   - frames: At least one frame, all of the same size. Durations are rounded to hundredths of a second.
  ///   - loopCount: The number of times the animation plays, 1 to 65,536; `nil` for endless.
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,535 pixels; `ImageEncodingError.failed` if there are
  ///   no frames, or frames of different sizes.
  package func encode(_ frames: [AnimationFrame], loopCount: Int?) throws -> Data {
    guard let size = frames.first?.bitmap.size, frames.allSatisfy({ $0.bitmap.size == size }) else {
      throw ImageEncodingError.failed(.gif, reason: "an animation needs at least one frame, all of the same size")
    }
    var file = try header(size)
    if loopCount != 1 {
      let repetitions = loopCount.map { min(max($0 - 1, 1), 65_535) } ?? 0
      file += [0x21, 0xFF, 11] + "NETSCAPE2.0".utf8 + [3, 1] + Self.littleEndian(repetitions) + [0]
    }
    for frame in frames {
      let hundredths = min(max((frame.duration / .milliseconds(10)).rounded(), 0), 65_535)
      try append(frame.bitmap.converted(to: .sRGB), hundredths: Int(hundredths), isAnimated: true, to: &file)
    }
    return file + [0x3B]
  }

  private func header(_ size: PixelSize) throws(ImageEncodingError) -> Data {
    guard max(size.width, size.height) <= Self.sideLimit else { throw .tooLarge(.gif, size) }
    return Data("GIF89a".utf8) + Self.littleEndian(size.width) + Self.littleEndian(size.height) + [0, 0, 0]
  }

  private func append(_ bitmap: Bitmap, hundredths: Int, isAnimated: Bool, to file: inout Data) throws {
    let pixels = straightPixels(bitmap)
    let palette = GIFPalette(pixels)
    var dithering = GIFDithering(palette)
    let indices = try dithering.indices(pixels, size: bitmap.size)
    if isAnimated || palette.transparentIndex != nil {
      // Each frame is cleared before the next, which may be transparent where this one is not.
      let flags: UInt8 = (isAnimated ? 2 << 2 : 0) | (palette.transparentIndex == nil ? 0 : 1)
      file += [0x21, 0xF9, 4, flags] + Self.littleEndian(hundredths) + [UInt8(palette.transparentIndex ?? 0), 0]
    }
    file += [0x2C, 0, 0, 0, 0] + Self.littleEndian(bitmap.size.width) + Self.littleEndian(bitmap.size.height)
    file.append(0x80 | UInt8(palette.bitCount - 1))
    for index in 0..<1 << palette.bitCount {
      let color = index < palette.colors.count ? palette.colors[index] : .zero
      file += [UInt8(color.x), UInt8(color.y), UInt8(color.z)]
    }
    file += GIFLZWEncoder.data(indices, bitCount: palette.bitCount)
  }

  private func straightPixels(_ bitmap: Bitmap) -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: bitmap.size.pixelCount * 4)
    bitmap.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      AlphaMath.unpremultiply(start, count: bitmap.size.pixelCount, into: &pixels)
    }
    return pixels
  }

  private static func littleEndian(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }
}
