package import HalcyonImaging
package import Foundation

/// Encodes GIF, still and animated.
///
/// A frame with at most 256 colours, with transparency as one of them, keeps them; any other is quantised by variance, with
/// dithering. Colours are converted to sRGB. Pixels with less than half alpha become transparent, others opaque. The quality
/// of the options is ignored.
package struct GIFEncoder: AnimatedImageEncoder {
  package init() {}

  package var format: ImageFormat { .gif }

  /// Encodes a still image.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,535 pixels.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    let bitmap = try bitmap.inStandardRange()
    try rejectMetadata(options)
    var file = try GIFFile(size: bitmap.size)
    try file.append(
      bitmap.opaquePixels(), size: bitmap.size, in: PixelArea(size: bitmap.size), timing: nil,
      colorLimit: options.colorLimit)
    return file.finished
  }

  /// Writes an animation whose frames have their own colour tables, and only the pixels that differ from the frame before.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,535 pixels, with the first frame.
  package func frameWriter(
    for animation: AnimationInfo, options: EncodingOptions
  ) throws -> any ImageFrameWriter {
    try rejectMetadata(options)
    return GIFFrameWriter(loopCount: animation.loopCount, colorLimit: options.colorLimit)
  }
}

/// The frames of an animated GIF.
///
/// A frame is written once the next one is known, which decides whether it stays: a frame over which pixels become
/// transparent is cleared, any other is drawn over.
private final class GIFFrameWriter: ImageFrameWriter {
  private struct Frame {
    /// RGBA, four bytes a pixel, opaque or all zero.
    let pixels: [UInt8]
    let duration: Duration
  }

  private let loopCount: Int?
  private let colorLimit: Int?
  private var file: GIFFile?
  private var size = PixelSize(width: 0, height: 0)
  private var pending: Frame?
  private var durations = RoundedDurations(unit: .milliseconds(10), limit: 65_535)
  /// The pixels that are shown before the pending frame; `nil` for a transparent canvas.
  private var shown: [UInt8]?

  init(loopCount: Int?, colorLimit: Int?) { (self.loopCount, self.colorLimit) = (loopCount, colorLimit) }

  func add(_ frame: AnimationFrame) throws {
    if file == nil {
      size = frame.bitmap.size
      file = try GIFFile(size: size)
      if loopCount != 1 { file?.appendLoop(repetitions: loopCount.map { min(max($0, 2) - 1, 65_535) } ?? 0) }
    }
    guard frame.bitmap.size == size else { throw ImageEncodingError.unequalFrames(.gif) }
    let next = Frame(pixels: try frame.bitmap.opaquePixels(), duration: frame.duration)
    try writePending(before: next.pixels)
    pending = next
  }

  func finish() throws -> Data {
    try writePending(before: nil)
    guard let file else { throw ImageEncodingError.unequalFrames(.gif) }
    return file.finished
  }

  private func writePending(before next: [UInt8]?) throws {
    guard let pending else { return }
    let isCleared = next.map { GIFPixels.hasHole($0, over: pending.pixels) } ?? false
    let whole = PixelArea(size: size)
    // All of the canvas is cleared, or nothing.
    let area = isCleared ? whole : shown.map { GIFPixels.difference($0, pending.pixels, size: size) } ?? whole
    let pixels = GIFPixels.part(area, of: pending.pixels, width: size.width, without: shown)
    try file?.append(
      pixels, size: area.size, in: area,
      timing: GIFFile.Timing(duration: durations.units(for: pending.duration), isCleared: isCleared),
      colorLimit: colorLimit)
    shown = isCleared ? nil : pending.pixels
  }
}

/// Comparisons of frames whose pixels are opaque or all zero.
private enum GIFPixels {
  /// Whether a pixel is transparent that was opaque in the frame before.
  static func hasHole(_ pixels: [UInt8], over before: [UInt8]) -> Bool {
    stride(from: 3, to: pixels.count, by: 4).contains { pixels[$0] < before[$0] }
  }

  /// The smallest area that contains all pixels in which two frames differ, and at least one.
  static func difference(_ before: [UInt8], _ pixels: [UInt8], size: PixelSize) -> PixelArea {
    var (left, right, top, bottom) = (size.width, -1, size.height, -1)
    for row in 0..<size.height {
      let start = row * size.width
      guard let first = (0..<size.width).first(where: { differs(before, pixels, start + $0) }) else { continue }
      let last = (first..<size.width).last { differs(before, pixels, start + $0) } ?? first
      (left, right, top, bottom) = (min(left, first), max(right, last), min(top, row), row)
    }
    guard bottom >= 0 else { return PixelArea(size: PixelSize(width: 1, height: 1)) }
    return PixelArea(left: left, top: top, width: right - left + 1, height: bottom - top + 1)
  }

  /// The pixels of an area; pixels that are shown already are transparent.
  static func part(_ area: PixelArea, of pixels: [UInt8], width: Int, without shown: [UInt8]?) -> [UInt8] {
    var part: [UInt8] = []
    part.reserveCapacity(area.size.pixelCount * 4)
    for row in area.top..<area.top + area.size.height {
      for pixel in row * width + area.left..<row * width + area.left + area.size.width {
        if let shown, !differs(shown, pixels, pixel) {
          part.append(contentsOf: repeatElement(0, count: 4))
        } else {
          part.append(contentsOf: pixels[pixel * 4..<pixel * 4 + 4])
        }
      }
    }
    return part
  }

  private static func differs(_ before: [UInt8], _ pixels: [UInt8], _ pixel: Int) -> Bool {
    (pixel * 4..<pixel * 4 + 4).contains { pixels[$0] != before[$0] }
  }
}

extension Bitmap {
  /// The pixels in sRGB, four bytes each: opaque, or all zero where they have less than half alpha.
  fileprivate func opaquePixels() throws -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: size.pixelCount * 4)
    try converted(to: .sRGB).withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      AlphaMath.unpremultiply(start, count: size.pixelCount, into: &pixels)
    }
    guard !isOpaque else { return pixels }
    for pixel in stride(from: 0, to: pixels.count, by: 4) {
      let isShown = pixels[pixel + 3] >= 128
      for channel in pixel..<pixel + 3 where !isShown { pixels[channel] = 0 }
      pixels[pixel + 3] = isShown ? 255 : 0
    }
    return pixels
  }
}
