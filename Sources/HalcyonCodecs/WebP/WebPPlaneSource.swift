#if !IMAGEIO
import HalcyonImaging
import CWebP
import Foundation

/// Decodes a lossy still image without alpha to the planes that it is coded in, row by row.
///
/// libwebp writes into planes of the stored size. Rows that have been read are returned to the system, so that they
/// take little memory. The planes share one mapping, which begins with the first rows of all of them: each row of luma
/// is followed by one of chroma, of blue and red in turn. So a few huge pages are enough at any time.
final class WebPPlaneSource: PlaneSource {
  /// The rows between two checks for cancellation, which also return memory.
  private static let rowsBetweenChecks = 64

  let format: PlaneFormat
  let rowsPerRead = 2

  private let pages: MappedPages
  private let size: PixelSize
  private let planes: [Plane]
  private let run: WebPRun
  private let isCancelled: () -> Bool

  /// - Parameters:
  ///   - bytes: A complete file, which must outlive the source.
  ///   - size: The stored size.
  ///   - skipsLoopFilter: Whether the edges of blocks are not smoothed, which saves time and is invisible in an image
  ///     that is reduced to a third.
  init(
    _ bytes: UnsafeRawBufferPointer, size: PixelSize, skipsLoopFilter: Bool,
    isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    let chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    let stride = size.width + chroma.width
    guard let pages = MappedPages(byteCount: stride * chroma.height * 2) else { throw .outOfMemory(size) }
    let start = pages.start.assumingMemoryBound(to: UInt8.self)
    let luma = Plane(start: start, stride: stride, size: size)
    let blue = Plane(start: start + size.width, stride: stride * 2, size: chroma)
    let red = Plane(start: blue.start + stride, stride: stride * 2, size: chroma)
    run = try WebPRun(bytes, size: size, isCancelled: isCancelled) { config in
      config.options.bypass_filtering = skipsLoopFilter ? 1 : 0
      config.output.colorspace = MODE_YUV
      config.output.is_external_memory = 1
      config.output.u.YUVA = WebPYUVABuffer(
        y: luma.start, u: blue.start, v: red.start, a: nil,
        y_stride: Int32(luma.stride), u_stride: Int32(blue.stride), v_stride: Int32(red.stride), a_stride: 0,
        y_size: luma.byteCount, u_size: blue.byteCount, v_size: red.byteCount, a_size: 0)
    }
    let even = PixelSize(width: chroma.width * 2, height: chroma.height * 2)
    var format = PlaneFormat(
      channels: .yCbCr(shiftX: 1, shiftY: 1), size: even,
      rowByteCounts: [even.width, chroma.width, chroma.width])
    format.coding.isFullRange = false
    self.format = format
    self.pages = pages
    self.size = size
    self.planes = [luma, blue, red]
    self.isCancelled = isCancelled
  }

  func readRows(at row: Int, into target: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if row % Self.rowsBetweenChecks == 0 {
      if isCancelled() { throw .cancelled }
      pages.discard(upTo: planes[0].stride * row)
    }
    while run.rowCount < min(row + rowsPerRead, size.height) { try run.step() }
    for (index, plane) in planes.enumerated() {
      let shift = index == 0 ? 0 : 1
      for targetRow in row >> shift..<(row + rowsPerRead) >> shift {
        plane.copy(row: targetRow, to: target.row(targetRow, ofPlane: index), width: format.rowByteCounts[index])
      }
    }
    return rowsPerRead
  }

  func finish() throws(ImageDecodingError) { try run.finish() }

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

/// Zeroed memory of whole pages, which the system provides when they are written.
///
/// Of huge pages where the system has them: providing 4 KB at a time takes a quarter of the time of decoding.
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
