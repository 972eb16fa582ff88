#if !IMAGEIO
import HalcyonImaging
import CHalcyonWebP
import Foundation

/// Decodes a lossy still image to the planes that it is coded in, row by row, and premultiplies them by its alpha.
///
/// libwebp writes into planes of the size of an area. Rows that have been read are returned to the system, so that they
/// take little memory. The planes share one mapping, which begins with the first rows of all of them: each row of luma
/// is followed by one of chroma, of blue and red in turn, and one of alpha. So a few huge pages are enough at any time.
final class WebPPlaneSource: PlaneSource {
  /// The rows between two checks for cancellation, which also return memory.
  private static let rowsBetweenChecks = 64

  let format: PlaneFormat
  let rowsPerRead = 2

  private let pages: MappedPages
  private let size: PixelSize
  private let planes: [Plane]
  private let run: WebPRun
  private let readsToEnd: Bool
  private let isCancelled: () -> Bool
  /// The alpha of a row of chroma.
  private var chromaAlpha: [UInt8]

  /// - Parameters:
  ///   - bytes: A complete file, which must outlive the source.
  ///   - area: The area of the stored image to decode, whose left and top edges are even.
  ///   - readsToEnd: Whether damage after the area is an error.
  ///   - hasAlpha: Whether there is a fourth plane.
  ///   - skipsLoopFilter: Whether the edges of blocks are not smoothed, which saves time and is invisible in an image
  ///     that is reduced to a third.
  init(
    _ bytes: UnsafeRawBufferPointer, _ area: PixelArea, readsToEnd: Bool, hasAlpha: Bool, skipsLoopFilter: Bool,
    isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    let size = area.size
    let chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    let stride = size.width + chroma.width + (hasAlpha ? size.width : 0)
    guard let pages = MappedPages(byteCount: stride * chroma.height * 2) else { throw .outOfMemory(size) }
    let start = pages.start.assumingMemoryBound(to: UInt8.self)
    let luma = Plane(start: start, stride: stride, size: size)
    let blue = Plane(start: start + size.width, stride: stride * 2, size: chroma)
    let red = Plane(start: blue.start + stride, stride: stride * 2, size: chroma)
    let alpha = hasAlpha ? Plane(start: blue.start + chroma.width, stride: stride, size: size) : nil
    run = try WebPRun(bytes, size: size, isCancelled: isCancelled) { config in
      config.options.crop(to: area)
      config.options.bypass_filtering = skipsLoopFilter ? 1 : 0
      config.output.colorspace = hasAlpha ? MODE_YUVA : MODE_YUV
      config.output.is_external_memory = 1
      config.output.u.YUVA = WebPYUVABuffer(
        y: luma.start, u: blue.start, v: red.start, a: alpha?.start,
        y_stride: Int32(luma.stride), u_stride: Int32(blue.stride), v_stride: Int32(red.stride),
        a_stride: Int32(alpha?.stride ?? 0), y_size: luma.byteCount, u_size: blue.byteCount, v_size: red.byteCount,
        a_size: alpha?.byteCount ?? 0)
    }
    let even = PixelSize(width: chroma.width * 2, height: chroma.height * 2)
    var format = PlaneFormat(
      channels: .yCbCr(shiftX: 1, shiftY: 1), size: even,
      rowByteCounts: [even.width, chroma.width, chroma.width] + (hasAlpha ? [even.width] : []))
    format.coding.isFullRange = false
    format.coding.alpha = hasAlpha ? .premultiplied : .none
    self.format = format
    self.pages = pages
    self.size = size
    self.readsToEnd = readsToEnd
    self.planes = [luma, blue, red] + (alpha.map { [$0] } ?? [])
    self.isCancelled = isCancelled
    chromaAlpha = Array(repeating: 0, count: hasAlpha ? chroma.width : 0)
  }

  func readRows(at row: Int, into target: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if row % Self.rowsBetweenChecks == 0 {
      if isCancelled() { throw .cancelled }
      pages.discard(upTo: planes[0].stride * row)
    }
    while run.rowCount < min(row + rowsPerRead, size.height) { try run.step() }
    for (index, plane) in planes.enumerated() {
      let shift = index == 1 || index == 2 ? 1 : 0
      for targetRow in row >> shift..<(row + rowsPerRead) >> shift {
        plane.copy(row: targetRow, to: target.row(targetRow, ofPlane: index), width: format.rowByteCounts[index])
      }
    }
    if format.coding.alpha != .none { premultiply(row, of: target) }
    return rowsPerRead
  }

  func finish() throws(ImageDecodingError) { try run.finish(readsToEnd: readsToEnd) }

  /// Premultiplies two rows of luma and one of chroma, in which black without colour is 16, 128 and 128.
  private func premultiply(_ row: Int, of target: borrowing PlaneBuffer) {
    let (upper, lower) = (target.row(row, ofPlane: 3), target.row(row + 1, ofPlane: 3))
    Premultiplication.apply(upper, to: target.row(row, ofPlane: 0), black: 16, count: format.rowByteCounts[0])
    Premultiplication.apply(lower, to: target.row(row + 1, ofPlane: 0), black: 16, count: format.rowByteCounts[0])
    chromaAlpha.withUnsafeMutableBufferPointer { alpha in
      guard let start = alpha.baseAddress else { return }
      Premultiplication.average(upper, lower, into: start, count: alpha.count)
      for plane in 1...2 {
        Premultiplication.apply(start, to: target.row(row / 2, ofPlane: plane), black: 128, count: alpha.count)
      }
    }
  }

  private struct Plane {
    let start: UnsafeMutablePointer<UInt8>
    let stride: Int
    let size: PixelSize

    /// The bytes from its first sample to its last.
    var byteCount: Int { stride * (size.height - 1) + size.width }

    /// Copies a row, and repeats its last sample up to `width`; past the end, it copies the last row.
    func copy(row: Int, to target: UnsafeMutablePointer<UInt8>, width: Int) {
      memcpy(target, start + min(row, size.height - 1) * stride, size.width)
      for column in size.width..<max(width, size.width) { target[column] = target[size.width - 1] }
    }
  }
}

/// Premultiplies rows of samples by alpha.
private enum Premultiplication {
  /// Moves each sample towards `black`, its value where alpha is 0.
  static func apply(
    _ alpha: UnsafePointer<UInt8>, to samples: UnsafeMutablePointer<UInt8>, black: UInt16, count: Int
  ) {
    for column in 0..<count {
      let weight = UInt16(alpha[column])
      let sum = UInt16(samples[column]) &* weight &+ black &* (255 &- weight) &+ 128
      // Divides by 255 and rounds.
      samples[column] = UInt8(truncatingIfNeeded: (sum &+ sum &>> 8) &>> 8)
    }
  }

  /// Averages squares of four.
  static func average(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, into averages: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    for column in 0..<count {
      let left = UInt16(upper[column &* 2]) &+ UInt16(lower[column &* 2])
      let right = UInt16(upper[column &* 2 &+ 1]) &+ UInt16(lower[column &* 2 &+ 1])
      averages[column] = UInt8(truncatingIfNeeded: (left &+ right &+ 2) &>> 2)
    }
  }
}

/// Zeroed memory of whole pages, which the system provides when they are first written: huge pages where it has them,
/// since providing 4 KB at a time takes a quarter of the time of decoding.
private final class MappedPages {
  private static let hugePageByteCount = 2 << 20

  let start: UnsafeMutableRawPointer
  private let byteCount: Int
  private var discardedByteCount = 0

  init?(byteCount: Int) {
    guard let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      start != MAP_FAILED
    else { return nil }
    // Without huge pages, decoding is only slower.
    madvise(start, byteCount, MADV_HUGEPAGE)
    self.start = start
    self.byteCount = byteCount
  }

  deinit { munmap(start, byteCount) }

  /// Returns the huge pages before `offset` to the system; they read as zeros then.
  func discard(upTo offset: Int) {
    let end = offset - Int(bitPattern: start + offset) % Self.hugePageByteCount
    guard end > discardedByteCount else { return }
    madvise(start + discardedByteCount, end - discardedByteCount, MADV_DONTNEED)
    discardedByteCount = end
  }
}
#endif
