/// Finished pixels, top row first, shared without copying.
///
/// A bitmap is a value: what one owner does to its pixels no other sees, and any thread may read them.
public struct Bitmap: Sendable {
  /// Width and height in pixels.
  public let size: PixelSize
  /// How a pixel lies in memory.
  public let pixelFormat: PixelFormat
  /// What the pixels mean as colour.
  public let colorSpace: ColorSpace
  /// Whether every pixel is known to have full alpha. `false` says that some pixel may be transparent.
  public let isOpaque: Bool
  /// Bytes from one row to the next (the stride).
  public let bytesPerRow: Int

  private(set) var storage: PixelStorage

  /// Creates a bitmap by writing its pixels once.
  ///
  /// - Parameters:
  ///   - size: Pixels; both sides at least 1.
  ///   - pixelFormat: How `fill` writes a pixel.
  ///   - colorSpace: What the pixels mean.
  ///   - isOpaque: Whether `fill` writes full alpha everywhere.
  ///   - fill: Writes the pixels. The bytes arrive as zeros, rows follow each other without gaps.
  /// - Throws: What `fill` throws; ``BitmapError`` when the memory cannot be had.
  public init(
    size: PixelSize, pixelFormat: PixelFormat = .rgba8Premultiplied, colorSpace: ColorSpace = .sRGB,
    isOpaque: Bool, fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws {
    precondition(size.width > 0 && size.height > 0, "a bitmap needs at least one pixel, got \(size)")
    let (rowBytes, rowOverflow) = size.width.multipliedReportingOverflow(by: pixelFormat.bytesPerPixel)
    let (byteCount, overflow) = rowBytes.multipliedReportingOverflow(by: size.height)
    guard !rowOverflow, !overflow, let storage = PixelStorage(byteCount: byteCount) else {
      throw BitmapError.outOfMemory(size)
    }
    try fill(storage.bytes)
    self.size = size
    self.pixelFormat = pixelFormat
    self.colorSpace = colorSpace
    self.isOpaque = isOpaque
    self.bytesPerRow = rowBytes
    self.storage = storage
  }

  /// The same bitmap over pixels that a ``WeakBitmap`` found still there.
  init(_ weak: WeakBitmap, storage: PixelStorage) {
    size = weak.size
    pixelFormat = weak.pixelFormat
    colorSpace = weak.colorSpace
    isOpaque = weak.isOpaque
    bytesPerRow = weak.bytesPerRow
    self.storage = storage
  }

  /// Whether no one else holds the pixels.
  var isUniquelyReferenced: Bool {
    mutating get { isKnownUniquelyReferenced(&storage) }
  }

  /// Bytes of memory that the pixels take.
  public var byteCount: Int { storage.bytes.count }

  /// Calls `body` with all rows; the pointer is valid only inside.
  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(storage.bytes)) }
  }

  /// Changes the pixels in place; copies them first where another bitmap has the same.
  ///
  /// - Throws: ``BitmapError`` when there is no memory for the copy.
  package mutating func withUnsafeMutableBytes(_ body: (UnsafeMutableRawBufferPointer) -> Void) throws(BitmapError) {
    if !isUniquelyReferenced {
      guard let copy = PixelStorage(byteCount: byteCount) else { throw .outOfMemory(size) }
      withUnsafeBytes { copy.bytes.copyMemory(from: $0) }
      storage = copy
    }
    withExtendedLifetime(storage) { body(storage.bytes) }
  }

  /// The pixel at a column and a row as red, green, blue, alpha.
  ///
  /// - Precondition: The position lies inside ``size``.
  public subscript(column: Int, row: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
    precondition(
      column >= 0 && column < size.width && row >= 0 && row < size.height,
      "pixel \(column),\(row) lies outside \(size)")
    return withUnsafeBytes { bytes in
      let start = row * bytesPerRow + column * 4
      return (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
    }
  }
}

extension Bitmap {
  /// Whether a pixel has less than full alpha. Reads all pixels unless the bitmap ``isOpaque``.
  public var hasTransparentPixel: Bool {
    if isOpaque { return false }
    return withUnsafeBytes { bytes in
      stride(from: 3, to: bytes.count, by: 4).contains { bytes[$0] != 255 }
    }
  }
}

/// Why a bitmap could not be made.
@nonexhaustive
public enum BitmapError: Error, Hashable {
  /// The system gave no memory for a bitmap of this size.
  case outOfMemory(PixelSize)
}

extension BitmapError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .outOfMemory(let size):
      "There is no memory for \(size) pixels. Ask for a smaller size, or lower the pixel limit."
    }
  }
}
