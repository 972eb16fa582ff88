import HalcyonSupport

/// Decoded pixels: red, green, blue and alpha in one byte each, premultiplied, upright, top row first; in sRGB, or in
/// Display P3 where a request asks for it.
///
/// With ``DynamicRange/high`` they are half floats, 8 bytes a pixel: linear light with the primaries of Display P3, in which
/// 1 is reference white (203 cd/m² of ITU-R BT.2408). Values above 1 are brighter, and values below 0 more saturated than
/// Display P3.
///
/// A bitmap is a value whose copies share the pixels. Any thread may read it.
///
/// ```swift
/// let red = try Bitmap(size: PixelSize(width: 2, height: 2), isOpaque: true) { pixels in
///   for index in stride(from: 0, to: pixels.count, by: 4) {
///     pixels.storeBytes(of: 0xFF00_00FF, toByteOffset: index, as: UInt32.self)  // red, green, blue, alpha
///   }
/// }
/// print(red[0, 0].red)
/// ```
public struct Bitmap: Sendable {
  /// Width and height in pixels.
  public let size: PixelSize
  /// Whether every pixel is known to have full alpha. If `false`, some pixels may be transparent.
  public let isOpaque: Bool
  /// The colour space of the pixels.
  public package(set) var colorSpace: ColorSpace
  /// Whether the pixels are bytes (``DynamicRange/standard``) or half floats in linear light (``DynamicRange/high``).
  public let dynamicRange: DynamicRange
  /// Bytes from one row to the next (the stride).
  public let bytesPerRow: Int

  @usableFromInline var storage: PixelStorage

  /// Creates a bitmap whose pixels are written once, by `fill`.
  ///
  /// - Parameters:
  ///   - size: The size in pixels.
  ///   - isOpaque: Whether `fill` writes full alpha everywhere.
  ///   - colorSpace: The colour space of what `fill` writes; of half floats always Display P3.
  ///   - dynamicRange: Whether `fill` writes bytes or half floats. Default: bytes.
  ///   - fill: Writes the pixels. The buffer is zeroed; rows are contiguous. In debug builds, a colour above its alpha traps.
  /// - Throws: Errors of `fill`; ``ImageDecodingError/outOfMemory(_:)``, also for a size with a side below 1.
  public init(
    size: PixelSize, isOpaque: Bool, colorSpace: ColorSpace = .sRGB, dynamicRange: DynamicRange = .standard,
    fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws {
    let (rowBytes, rowOverflow) = size.width.multipliedReportingOverflow(by: dynamicRange.bytesPerPixel)
    let (byteCount, overflow) = rowBytes.multipliedReportingOverflow(by: size.height)
    guard size.width > 0, size.height > 0, !rowOverflow, !overflow, let storage = PixelStorage(byteCount: byteCount)
    else {
      throw ImageDecodingError.outOfMemory(size)
    }
    try fill(storage.bytes)
    self.size = size
    self.isOpaque = isOpaque
    self.colorSpace = dynamicRange == .high ? .displayP3 : colorSpace
    self.dynamicRange = dynamicRange
    self.bytesPerRow = rowBytes
    self.storage = storage
    assertPremultiplied()
  }

  /// Whether no colour is above its alpha.
  private var isPremultiplied: Bool {
    withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).allSatisfy {
        max(bytes[$0], bytes[$0 + 1], bytes[$0 + 2]) <= bytes[$0 + 3]
      }
    }
  }

  private func assertPremultiplied() {
    assert(
      isOpaque || dynamicRange == .high || isPremultiplied,
      "a colour is above its alpha: multiply it by alpha, or create the bitmap as opaque")
  }

  fileprivate init(_ weak: WeakBitmap, storage: PixelStorage) {
    size = weak.size
    isOpaque = weak.isOpaque
    colorSpace = weak.colorSpace
    dynamicRange = weak.dynamicRange
    bytesPerRow = weak.bytesPerRow
    self.storage = storage
  }

  /// Whether this is the only strong reference to the pixels.
  @inlinable var isUniquelyReferenced: Bool {
    mutating get { isKnownUniquelyReferenced(&storage) }
  }

  /// The size of the pixels in bytes.
  public var byteCount: Int { storage.bytes.count }

  /// Calls `body` with the bytes of all rows; the pointer is valid only during the call.
  @inlinable
  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(storage.bytes)) }
  }

  /// Changes the pixels in place; copies them first if they are shared.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)`` when there is no memory for the copy; errors of `body`.
  package mutating func withUnsafeMutableBytes(_ body: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    if !isUniquelyReferenced {
      guard let copy = PixelStorage(byteCount: byteCount) else { throw ImageDecodingError.outOfMemory(size) }
      withUnsafeBytes { copy.bytes.copyMemory(from: $0) }
      storage = copy
    }
    try withExtendedLifetime(storage) { try body(storage.bytes) }
    assertPremultiplied()
  }

  /// Returns the memory of the rows before one to the system, if nothing else refers to it; they are not read again.
  mutating func discard(rowsBefore row: Int) {
    if isUniquelyReferenced { storage.discard(first: row * bytesPerRow) }
  }

  /// The pixel at a column and a row as red, green, blue, alpha; of half floats in Display P3, without what is brighter than
  /// white.
  ///
  /// - Precondition: The position is inside ``size``.
  public subscript(column: Int, row: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
    precondition(
      column >= 0 && column < size.width && row >= 0 && row < size.height,
      "pixel \(column),\(row) is outside \(size)")
    return withUnsafeBytes { bytes in
      if dynamicRange == .high { return Self.clipped(bytes, row * bytesPerRow + column * 8) }
      let start = row * bytesPerRow + column * 4
      return (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
    }
  }
}

extension DynamicRange {
  /// The bytes of a pixel of a bitmap.
  package var bytesPerPixel: Int { self == .high ? 8 : 4 }
}

extension Bitmap {
  /// Whether both refer to the same pixels in memory.
  package func sharesPixels(with other: Bitmap) -> Bool { storage === other.storage }

  /// The nearest bytes to the half floats of a pixel.
  private static func clipped(
    _ bytes: UnsafeRawBufferPointer, _ start: Int
  ) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
    let channels = (0..<4).map { channel in
      Double(HalfFloat.number(bytes.loadUnaligned(fromByteOffset: start + 2 * channel, as: UInt16.self)))
    }
    func byte(_ channel: Int) -> UInt8 {
      guard channels[3] > 0 else { return 0 }
      let light = min(max(channels[channel] / channels[3], 0), 1)
      return UInt8((255 * SRGBTransferFunction.value(light) * min(channels[3], 1)).rounded())
    }
    return (byte(0), byte(1), byte(2), UInt8((255 * min(max(channels[3], 0), 1)).rounded()))
  }

  /// Whether a pixel has less than full alpha. Reads all pixels unless the bitmap ``isOpaque``.
  package var hasTransparentPixel: Bool {
    if isOpaque { return false }
    return withUnsafeBytes { bytes in
      if dynamicRange == .high {
        return bytes.withMemoryRebound(to: SIMD4<UInt16>.self) { $0.contains { $0.w != HalfFloat.one } }
      }
      return stride(from: 3, to: bytes.count, by: 4).contains { bytes[$0] != 255 }
    }
  }
}

/// A weak reference to the pixels of a bitmap.
package struct WeakBitmap: Sendable {
  fileprivate let size: PixelSize
  fileprivate let isOpaque: Bool
  fileprivate let colorSpace: ColorSpace
  fileprivate let dynamicRange: DynamicRange
  fileprivate let bytesPerRow: Int
  private weak let storage: PixelStorage?

  package init(_ bitmap: Bitmap) {
    size = bitmap.size
    isOpaque = bitmap.isOpaque
    colorSpace = bitmap.colorSpace
    dynamicRange = bitmap.dynamicRange
    bytesPerRow = bitmap.bytesPerRow
    storage = bitmap.storage
  }

  /// The bitmap, or `nil` if its pixels have been deallocated.
  package var bitmap: Bitmap? { storage.map { Bitmap(self, storage: $0) } }
}

extension Bitmap: CustomStringConvertible {
  /// The size, whether it is opaque, wide or of high dynamic range, and its memory: for example `640x427, opaque, displayP3, 1093120 bytes`.
  public var description: String {
    "\(size)\(isOpaque ? ", opaque" : "")\(spaceText), \(byteCount.counted("byte"))"
  }

  private var spaceText: String {
    if dynamicRange == .high { return ", high dynamic range" }
    return colorSpace == .sRGB ? "" : ", \(colorSpace)"
  }
}
