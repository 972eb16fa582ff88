import HalcyonImaging
import Foundation

/// The canvas on which the frames of an animation are composed, premultiplied. For one thread at a time.
final class AnimationCanvas {
  let size: PixelSize
  private let pixels: UnsafeMutablePointer<UInt32>
  private var saved: (area: PixelArea, pixels: [UInt32])?

  /// A transparent canvas. The limits have been checked.
  init(size: PixelSize) throws(ImageDecodingError) {
    guard let memory = calloc(size.pixelCount, 4) else { throw .outOfMemory(size) }
    self.size = size
    pixels = memory.bindMemory(to: UInt32.self, capacity: size.pixelCount)
  }

  deinit { free(pixels) }

  /// Makes the whole canvas transparent.
  func clear() {
    pixels.update(repeating: 0, count: size.pixelCount)
    saved = nil
  }

  /// Draws a frame, clipped to the canvas.
  ///
  /// - Parameter isBlended: Whether the frame is blended over the canvas; otherwise it replaces it, including alpha.
  func draw(
    _ rows: any RowSource, at area: PixelArea, isBlended: Bool, isCancelled: () -> Bool
  ) throws(ImageDecodingError) {
    let visible = visible(area)
    var row = [UInt32](repeating: 0, count: area.size.width)
    for index in 0..<max(0, visible.rows.upperBound - area.top) {
      try rows.checkCancelled(atRow: index, isCancelled)
      try rows.readRow(intoPixels: &row)
      let target = pixels + (area.top + index) * size.width
      for column in visible.columns {
        let source = row[column - area.left]
        target[column] = isBlended ? Self.blend(source, over: target[column]) : source
      }
    }
  }

  /// Saves the pixels of an area, for ``FrameDisposal/restore``.
  func save(_ area: PixelArea) {
    let visible = visible(area)
    var kept: [UInt32] = []
    kept.reserveCapacity(visible.rows.count * visible.columns.count)
    for row in visible.rows { for column in visible.columns { kept.append(pixels[row * size.width + column]) } }
    saved = (area, kept)
  }

  /// Disposes of a frame before the next one is drawn.
  func dispose(_ area: PixelArea, _ disposal: FrameDisposal) {
    switch disposal {
    case .keep: break
    case .clear: fill(area) { _ in 0 }
    case .restore:
      guard let saved else { return }
      fill(saved.area) { saved.pixels[$0] }
      self.saved = nil
    }
  }

  /// Copies one row of the canvas.
  func read(row: Int, into target: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(target).copyMemory(from: pixels + row * size.width, byteCount: size.width * 4)
  }

  private func fill(_ area: PixelArea, _ pixel: (Int) -> UInt32) {
    let visible = visible(area)
    var index = 0
    for row in visible.rows {
      for column in visible.columns {
        pixels[row * size.width + column] = pixel(index)
        index += 1
      }
    }
  }

  private func visible(_ area: PixelArea) -> (columns: Range<Int>, rows: Range<Int>) {
    (
      (area.left..<area.left + area.size.width).clamped(to: 0..<size.width),
      (area.top..<area.top + area.size.height).clamped(to: 0..<size.height)
    )
  }

  /// Source-over blending of premultiplied pixels.
  private static func blend(_ source: UInt32, over target: UInt32) -> UInt32 {
    let alpha = source.littleEndian >> 24
    if alpha == 255 { return source }
    if alpha == 0 { return target }
    var result: UInt32 = 0
    for shift in stride(from: UInt32(0), through: 24, by: 8) {
      let product = (target.littleEndian >> shift & 255) * (255 - alpha) + 128
      let sum = (source.littleEndian >> shift & 255) + (product + product >> 8) >> 8
      result |= min(255, sum) << shift
    }
    return result.littleEndian
  }
}

/// The rows of a canvas, which must not change until they have been read.
final class CanvasRowSource: RowSource {
  var size: PixelSize { canvas.size }
  let isOpaque: Bool

  private let canvas: AnimationCanvas
  private var nextRow = 0

  init(_ canvas: AnimationCanvas, isOpaque: Bool) {
    self.canvas = canvas
    self.isOpaque = isOpaque
  }

  func skipRows(_ count: Int) { nextRow += count }

  func readRow(into row: UnsafeMutablePointer<UInt8>) {
    canvas.read(row: nextRow, into: row)
    nextRow += 1
  }

  func finish() {}
}

extension PixelArea {
  /// Whether a frame, which can extend beyond the canvas, contains all of it.
  func covers(_ canvas: PixelSize) -> Bool {
    left <= 0 && top <= 0 && left + width >= canvas.width && top + height >= canvas.height
  }
}

/// How the area of a frame is treated before the next frame is drawn.
enum FrameDisposal {
  /// The frame stays on the canvas.
  case keep
  /// The area becomes transparent.
  case clear
  /// The area is restored to its previous content.
  case restore
}

/// The rows of a canvas with a single frame on it, transparent elsewhere.
final class PatchRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let rows: any RowSource
  private let area: PixelArea
  private var row: [UInt32]
  private var nextRow = 0

  /// - Parameters:
  ///   - area: The area of the frame, of the same size as `rows`; its origin is not negative.
  ///   - canvas: The size of the canvas.
  init(_ rows: any RowSource, at area: PixelArea, on canvas: PixelSize) {
    self.rows = rows
    self.area = area
    size = canvas
    isOpaque = rows.isOpaque && area.covers(canvas)
    row = Array(repeating: 0, count: rows.size.width)
  }

  func readRow(into target: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    defer { nextRow += 1 }
    let isInside = nextRow >= area.top && nextRow < area.top + area.size.height
    if isInside { try rows.readRow(intoPixels: &row) }
    target.withMemoryRebound(to: UInt32.self, capacity: size.width) { pixels in
      for column in 0..<size.width {
        let source = column - area.left
        pixels[column] = isInside && source >= 0 && source < row.count ? row[source] : 0
      }
    }
  }

  func finish() throws(ImageDecodingError) { try rows.finish() }
}
