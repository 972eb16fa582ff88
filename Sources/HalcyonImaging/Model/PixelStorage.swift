import HalcyonSupport
import Foundation

/// The memory of one bitmap; deallocation returns it to the ``PixelPool``, or frees it.
///
/// Unchecked: the bytes are written only while one `Bitmap` is the sole owner, and only read otherwise.
@usableFromInline
final class PixelStorage: @unchecked Sendable {
  @usableFromInline let bytes: UnsafeMutableRawBufferPointer
  /// `nil` for memory from the allocator.
  private let block: PixelBlock?
  private let pool: PixelPool
  #if canImport(CoreGraphics)
  /// The `CGImage` of the pixels that is in use, if there is one.
  let sharedImage = Lock(WeakImage())
  #endif

  /// Allocates zeroed memory; `nil` when out of memory.
  init?(byteCount: Int, pool: PixelPool = .shared) {
    self.pool = pool
    block = pool.acquire(byteCount: byteCount)
    guard let start = block?.start ?? calloc(1, byteCount) else { return nil }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  /// Returns the memory of the first bytes to the system, which are not read again.
  func discard(first count: Int) {
    #if os(Linux)
    guard let base = bytes.baseAddress else { return }
    let page = PixelBlock.pageByteCount
    let start = (Int(bitPattern: base) + page - 1) / page * page
    let end = (Int(bitPattern: base) + min(count, bytes.count)) / page * page
    if start < end { madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_DONTNEED) }
    #endif
  }

  deinit {
    if let block { pool.release(block) } else { free(bytes.baseAddress) }
  }
}

/// Whole pages of memory from the system, for the pixels of one bitmap. The owner frees them or passes them on.
///
/// Unchecked: a block has one owner at a time.
struct PixelBlock: @unchecked Sendable {
  fileprivate static let pageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))

  let start: UnsafeMutableRawPointer
  /// A multiple of the page size.
  private(set) var byteCount: Int

  /// Maps zeroed pages for at least `byteCount` bytes; `nil` when out of memory.
  init?(byteCount: Int) {
    guard byteCount <= Int.max - Self.pageByteCount else { return nil }
    self.byteCount = Self.wholePages(byteCount)
    let pages = mmap(nil, self.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages, pages != MAP_FAILED else { return nil }
    start = pages
  }

  private init(start: UnsafeMutableRawPointer, byteCount: Int) {
    self.start = start
    self.byteCount = byteCount
  }

  /// Shortens the block to the pages that hold the first `count` bytes.
  ///
  /// - Returns: The remaining pages, or `nil` if there are none.
  mutating func split(keeping count: Int) -> PixelBlock? {
    let kept = Self.wholePages(count)
    guard kept < byteCount else { return nil }
    defer { byteCount = kept }
    return PixelBlock(start: start + kept, byteCount: byteCount - kept)
  }

  /// Returns the pages to the system immediately, which an allocator might not do.
  func free() { munmap(start, byteCount) }

  private static func wholePages(_ byteCount: Int) -> Int {
    (byteCount + pageByteCount - 1) / pageByteCount * pageByteCount
  }
}
