#if AVIF && !IMAGEIO
import CHalcyonAVIF
import Foundation
import HalcyonImaging

/// The frames of an AVIF image sequence. For one thread at a time.
final class AVIFFrameWriter: ImageFrameWriter {
  private let loopCount: Int?
  private let encoder: AVIFEncoderHandle
  private let layout: avifPixelFormat
  private let background: PixelColor
  private var size: PixelSize?
  private var colorSpace = ColorSpace.sRGB
  private var hasAlpha = false
  private var needsEditLists = false
  private var durations = RoundedDurations(unit: .milliseconds(1), limit: Int(clamping: UInt32.max))

  init(loopCount: Int?, encoder: AVIFEncoderHandle, layout: avifPixelFormat, background: PixelColor) {
    (self.loopCount, self.encoder, self.layout, self.background) = (loopCount, encoder, layout, background)
  }

  func add(_ frame: AnimationFrame) throws {
    let bitmap = frame.bitmap
    if size == nil {
      (size, colorSpace, hasAlpha) = (bitmap.size, bitmap.colorSpace, !bitmap.isOpaque)
      needsEditLists = !encoder.startSequence(loopCount: loopCount)
    }
    guard bitmap.size == size else { throw ImageEncodingError.unequalFrames(.avif) }
    var pixels = try bitmap.converted(to: colorSpace)
    if !hasAlpha, !pixels.isOpaque { pixels = try pixels.flattened(onto: background) }
    let milliseconds = UInt64(max(durations.units(for: frame.duration), 1))
    try encoder.add(AVIFOutputImage(pixels, layout: layout, hasAlpha: hasAlpha), milliseconds: milliseconds)
  }

  func finish() throws -> Data {
    guard size != nil else { throw ImageEncodingError.unequalFrames(.avif) }
    let file = try encoder.finish()
    guard needsEditLists, let loopCount else { return file }
    return EditLists.added(to: file, playCount: max(1, loopCount))
  }
}
#endif
