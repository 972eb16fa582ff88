public import HalcyonImaging
public import Foundation

/// Encodes GIF, still and animated.
///
/// A picture of at most 255 colours keeps them; any other gets the 255 that median cut finds, with Floyd–Steinberg
/// dithering. Pixels of less than half alpha become transparent, the others opaque. The quality of the options has no
/// meaning here.
public struct GIFEncoder: ImageEncoder {
  private static let sideLimit = 65_535

  /// Creates an encoder; it holds nothing.
  public init() {}

  /// GIF.
  public var format: ImageFormat { .gif }

  /// Encodes a still picture; throws `ImageEncodingError.tooLarge` where a side is over 65,535 pixels.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    var file = try header(bitmap.size)
    append(bitmap, hundredths: 0, isAnimated: false, to: &file)
    return file + [0x3B]
  }

  /// Encodes an animation, each picture whole and with colours of its own.
  ///
  /// - Parameters:
  ///   - frames: Pictures of one size, at least one. Times are rounded to hundredths of a second.
  ///   - loopCount: How often they are shown in all, 1 to 65,536; `nil` for ever.
  /// - Throws: `ImageEncodingError.tooLarge` where a side is over 65,535 pixels; `ImageEncodingError.failed` for no
  ///   picture, or pictures of different sizes.
  public func encode(_ frames: [AnimationFrame], loopCount: Int?) throws -> Data {
    guard let size = frames.first?.bitmap.size, frames.allSatisfy({ $0.bitmap.size == size }) else {
      throw ImageEncodingError.failed(.gif, reason: "an animation needs pictures of one size")
    }
    var file = try header(size)
    if loopCount != 1 {
      let repetitions = loopCount.map { min(max($0 - 1, 1), 65_535) } ?? 0
      file += [0x21, 0xFF, 11] + "NETSCAPE2.0".utf8 + [3, 1] + Self.littleEndian(repetitions) + [0]
    }
    for frame in frames {
      let hundredths = Int((frame.duration / .milliseconds(10)).rounded())
      append(frame.bitmap, hundredths: min(max(hundredths, 0), 65_535), isAnimated: true, to: &file)
    }
    return file + [0x3B]
  }

  private func header(_ size: PixelSize) throws(ImageEncodingError) -> Data {
    guard max(size.width, size.height) <= Self.sideLimit else { throw .tooLarge(.gif, size) }
    return Data("GIF89a".utf8) + Self.littleEndian(size.width) + Self.littleEndian(size.height) + [0, 0, 0]
  }

  private func append(_ bitmap: Bitmap, hundredths: Int, isAnimated: Bool, to file: inout Data) {
    let pixels = straight(bitmap)
    let palette = GIFPalette(pixels)
    var dithering = GIFDithering(palette)
    let indices = dithering.indices(pixels, size: bitmap.size)
    if isAnimated || palette.transparentIndex != nil {
      // A picture makes place for the next one, which may be transparent where this one is not.
      let flags: UInt8 = (isAnimated ? 2 << 2 : 0) | (palette.transparentIndex == nil ? 0 : 1)
      file += [0x21, 0xF9, 4, flags] + Self.littleEndian(hundredths) + [UInt8(palette.transparentIndex ?? 0), 0]
    }
    file += [0x2C, 0, 0, 0, 0] + Self.littleEndian(bitmap.size.width) + Self.littleEndian(bitmap.size.height)
    file.append(0x80 | UInt8(palette.bitCount - 1))
    for index in 0..<1 << palette.bitCount {
      let color = index < palette.colors.count ? palette.colors[index] : .zero
      file += [UInt8(color.x), UInt8(color.y), UInt8(color.z)]
    }
    file += GIFPixelWriter.data(indices, bitCount: palette.bitCount)
  }

  private func straight(_ bitmap: Bitmap) -> [UInt8] {
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
