#if !IMAGEIO
import HalcyonImaging
import CWebP
import Foundation

/// Decodes a lossy still image without alpha to the planes that it is coded in, row by row.
///
/// libwebp writes into planes of the stored size. Rows that have been read are returned to the system, so that they
/// take little memory.
final class WebPPlaneSource: PlaneSource {
  /// The rows between two checks for cancellation, which also return memory.
  private static let rowsBetweenChecks = 64

  let format: PlaneFormat
  let rowsPerRead = 2

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
    var planes: [Plane] = []
    for size in [size, chroma, chroma] {
      guard let pages = MappedPages(byteCount: size.pixelCount) else { throw .outOfMemory(size) }
      planes.append(Plane(size: size, pages: pages))
    }
    run = try WebPRun(bytes, size: size, isCancelled: isCancelled) { config in
      config.options.bypass_filtering = skipsLoopFilter ? 1 : 0
      config.output.colorspace = MODE_YUV
      config.output.is_external_memory = 1
      config.output.u.YUVA = WebPYUVABuffer(
        y: planes[0].start, u: planes[1].start, v: planes[2].start, a: nil,
        y_stride: Int32(size.width), u_stride: Int32(chroma.width), v_stride: Int32(chroma.width),
        a_stride: 0, y_size: size.pixelCount, u_size: chroma.pixelCount,
        v_size: chroma.pixelCount, a_size: 0)
    }
    let even = PixelSize(width: chroma.width * 2, height: chroma.height * 2)
    var format = PlaneFormat(
      channels: .yCbCr(shiftX: 1, shiftY: 1), size: even,
      rowByteCounts: [even.width, chroma.width, chroma.width])
    format.coding.isFullRange = false
    self.format = format
    self.size = size
    self.planes = planes
    self.isCancelled = isCancelled
  }

  func readRows(at row: Int, into target: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if row % Self.rowsBetweenChecks == 0 {
      if isCancelled() { throw .cancelled }
      for (index, plane) in planes.enumerated() { plane.pages.discard(upTo: plane.size.width * (row >> shift(index))) }
    }
    while run.rowCount < min(row + rowsPerRead, size.height) { try run.step() }
    for (index, plane) in planes.enumerated() {
      for targetRow in row >> shift(index)..<(row + rowsPerRead) >> shift(index) {
        plane.copy(row: targetRow, to: target.row(targetRow, ofPlane: index), width: format.rowByteCounts[index])
      }
    }
    return rowsPerRead
  }

  func finish() throws(ImageDecodingError) { try run.finish() }

  private func shift(_ plane: Int) -> Int { plane == 0 ? 0 : 1 }

  private struct Plane {
    let size: PixelSize
    let pages: MappedPages

    var start: UnsafeMutablePointer<UInt8> { pages.start.assumingMemoryBound(to: UInt8.self) }

    /// Copies a row, and repeats its last sample up to `width`; past the end, it copies the last row.
    func copy(row: Int, to target: UnsafeMutablePointer<UInt8>, width: Int) {
      memcpy(target, pages.start + min(row, size.height - 1) * size.width, size.width)
      for column in size.width..<max(width, size.width) { target[column] = target[size.width - 1] }
    }
  }
}

/// Zeroed memory of whole pages, which the system provides when they are written.
private final class MappedPages {
  private static let pageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))

  let start: UnsafeMutableRawPointer
  private let byteCount: Int
  private var discardedByteCount = 0

  init?(byteCount: Int) {
    guard let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      start != MAP_FAILED
    else { return nil }
    self.start = start
    self.byteCount = byteCount
  }

  deinit { munmap(start, byteCount) }

  /// Returns the pages before `offset` to the system; they read as zeros then.
  func discard(upTo offset: Int) {
    let end = offset / Self.pageByteCount * Self.pageByteCount
    guard end > discardedByteCount else { return }
    madvise(start + discardedByteCount, end - discardedByteCount, MADV_DONTNEED)
    discardedByteCount = end
  }
}
#endif
