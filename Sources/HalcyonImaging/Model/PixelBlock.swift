import Foundation

/// Whole pages of memory from the system, for the pixels of one bitmap. Whoever holds them last frees them or hands
/// them on.
///
/// Unchecked: they have one holder at a time.
struct PixelBlock: @unchecked Sendable {
  private static let pageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))

  let start: UnsafeMutableRawPointer
  /// Whole pages.
  private(set) var byteCount: Int

  /// Zeroed pages that hold at least `byteCount` bytes, or `nil` when the system has none to give.
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

  /// Keeps only the pages that hold the first bytes.
  ///
  /// - Returns: The other pages, if there are any.
  mutating func split(keeping count: Int) -> PixelBlock? {
    let kept = Self.wholePages(count)
    guard kept < byteCount else { return nil }
    defer { byteCount = kept }
    return PixelBlock(start: start + kept, byteCount: byteCount - kept)
  }

  /// Gives the pages back to the system at once, which an allocator in between might not do.
  func free() { munmap(start, byteCount) }

  private static func wholePages(_ byteCount: Int) -> Int {
    (byteCount + pageByteCount - 1) / pageByteCount * pageByteCount
  }
}
