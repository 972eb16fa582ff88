import Foundation
import HalcyonImaging

/// The bytes of a GIF file that is being written.
struct GIFFile {
  /// How long a frame of an animation is shown, and whether the canvas is cleared after it.
  struct Timing {
    /// In hundredths of a second, at most 65,535.
    var duration: Int
    var isCleared: Bool
  }

  private static let sideLimit = 65_535

  private var bytes: Data

  /// A file with its header.
  ///
  /// - Throws: ``ImageEncodingError/tooLarge(_:_:)`` if a side is over 65,535 pixels.
  init(size: PixelSize) throws(ImageEncodingError) {
    guard max(size.width, size.height) <= Self.sideLimit else { throw .tooLarge(.gif, size) }
    bytes =
      Data("GIF89a".utf8) + Data(littleEndian: size.width, count: 2) + Data(littleEndian: size.height, count: 2) + [
        0, 0, 0,
      ]
  }

  /// The complete file.
  var finished: Data { bytes + [0x3B] }

  /// Adds how often the animation is repeated after it was played; 0 is endless.
  mutating func appendLoop(repetitions: Int) {
    bytes += [0x21, 0xFF, 11] + "NETSCAPE2.0".utf8 + [3, 1] + Data(littleEndian: repetitions, count: 2) + [0]
  }

  /// Adds a frame with its own colour table.
  ///
  /// - Parameters:
  ///   - pixels: RGBA, four bytes a pixel, opaque or all zero.
  ///   - area: The place of the frame on the canvas.
  ///   - timing: The timing of a frame of an animation; `nil` for a still image.
  ///   - colorLimit: The most colours of its table. `nil` is 256.
  mutating func append(_ pixels: [UInt8], size: PixelSize, in area: PixelArea, timing: Timing?, colorLimit: Int?) throws
  {
    let (palette, indices) = try pixels.withUnsafeBufferPointer { pixels in
      let palette = ColorPalette(pixels, colorLimit: colorLimit ?? 256)
      var dithering = Dithering(palette)
      return (palette, try dithering.indices(pixels, size: size))
    }
    if timing != nil || palette.hasTransparency {
      let disposal: UInt8 = timing.map { $0.isCleared ? 2 << 2 : 1 << 2 } ?? 0
      let flags = disposal | (palette.hasTransparency ? 1 : 0)
      bytes += [0x21, 0xF9, 4, flags] + Data(littleEndian: timing?.duration ?? 0, count: 2)
      // The first colour is the transparent one.
      bytes += [0, 0]
    }
    bytes += [0x2C] + Data(littleEndian: area.left, count: 2) + Data(littleEndian: area.top, count: 2)
    bytes += Data(littleEndian: size.width, count: 2) + Data(littleEndian: size.height, count: 2)
    bytes.append(0x80 | UInt8(palette.bitCount - 1))
    for index in 0..<1 << palette.bitCount {
      let color = index < palette.colors.count ? palette.colors[index] : .zero
      bytes += [UInt8(color.x), UInt8(color.y), UInt8(color.z)]
    }
    bytes += GIFLZWEncoder.data(indices, bitCount: palette.bitCount)
  }
}
