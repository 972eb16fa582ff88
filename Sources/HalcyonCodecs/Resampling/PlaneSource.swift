import HalcyonImaging
import Foundation

/// Reads the rows of an image in planes, from top to bottom, once.
///
/// The resampler takes them while the file is decoded, so memory is the result and a few rows.
protocol PlaneSource: AnyObject {
  var format: PlaneFormat { get }

  /// The maximum number of rows that one ``readRows(at:into:)`` writes.
  var rowsPerRead: Int { get }

  /// Writes the next rows, the first of which is `row`, and returns their number.
  ///
  /// Subsampled planes get correspondingly fewer rows; rows past the end of the image may be written too.
  func readRows(at row: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int

  /// Checks that the file is complete. Called after the last row.
  func finish() throws(ImageDecodingError)
}

/// The layout of an image in planes.
struct PlaneFormat: Hashable {
  enum Channels: Hashable {
    case grey
    case rgb
    /// Four planes; colours are premultiplied by alpha.
    case rgbaPremultiplied
    /// Chroma planes are subsampled by powers of two.
    case yCbCr(shiftX: Int, shiftY: Int)
  }

  var channels: Channels
  /// The size of the first plane; a multiple of the subsampling.
  var size: PixelSize
  /// The bytes that the source writes per row, for each plane; at least the width of the plane.
  var rowByteCounts: [Int]
  /// How sample values represent colours.
  var coding = SampleCoding()

  /// The channels after conversion: grey stays grey, everything else becomes RGB or, with alpha, RGBA.
  var outputChannels: Channels {
    if coding.alpha != .none { return .rgbaPremultiplied }
    if case .yCbCr = channels { return .rgb }
    return channels
  }

  /// Creates a format without subsampling or row padding.
  init(channels: Channels, size: PixelSize) {
    let planeCount = channels == .grey ? 1 : channels == .rgbaPremultiplied ? 4 : 3
    self.init(channels: channels, size: size, rowByteCounts: Array(repeating: size.width, count: planeCount))
  }

  init(channels: Channels, size: PixelSize, rowByteCounts: [Int]) {
    self.channels = channels
    self.size = size
    self.rowByteCounts = rowByteCounts
  }
}

/// How sample values represent colours. Default: as in JFIF.
struct SampleCoding: Hashable {
  /// The position of subsampled chroma samples relative to luma samples.
  enum ChromaSiting: Hashable {
    case center
    case left
    case topLeft
  }

  /// An alpha plane after the colour planes; ``PlaneFormat/Channels/rgbaPremultiplied`` already includes one.
  enum Alpha: Hashable {
    case none
    case straight
    case premultiplied
  }

  /// Bits per sample; samples of more than 8 bits take two bytes in native byte order.
  var depth = 8
  /// Whether black is 0 and white is the largest value (full range, not limited range).
  var isFullRange = true
  /// The YCbCr matrix coefficients, as a code point of ITU-T H.273.
  var matrix = 5
  var chromaSiting = ChromaSiting.center
  var alpha = Alpha.none
  /// Set if the samples are high dynamic range: they are resampled as they are, and then mapped.
  var highDynamicRange: HighDynamicRange?

  var bytesPerSample: Int { depth > 8 ? 2 : 1 }
}

/// Memory for some or all rows of one or more planes, aligned for zimg.
///
/// A buffer with fewer rows than the image is a ring buffer: row `i` is stored at `i & mask`.
struct PlaneBuffer: ~Copyable {
  /// The row alignment that zimg requires for 512-bit instructions, in bytes.
  private static let alignment = 64

  private let memory: UnsafeMutableRawPointer
  private let planes: [(offset: Int, stride: Int)]
  private let mask: Int

  /// Creates a buffer of zeroed rows, or `nil` when out of memory.
  ///
  /// - Parameters:
  ///   - rowByteCounts: The bytes per row of each plane.
  ///   - rowCount: The rows of each plane; a power of two for a ring buffer.
  ///   - isRing: Whether row indices wrap around at `rowCount`.
  init?(rowByteCounts: [Int], rowCount: Int, isRing: Bool) {
    var planes: [(offset: Int, stride: Int)] = []
    var byteCount = 0
    for rowByteCount in rowByteCounts {
      let stride = (rowByteCount + Self.alignment - 1) / Self.alignment * Self.alignment
      planes.append((offset: byteCount, stride: stride))
      byteCount += stride * rowCount
    }
    guard let memory = aligned_alloc(Self.alignment, byteCount) else { return nil }
    memset(memory, 0, byteCount)
    self.memory = memory
    self.planes = planes
    self.mask = isRing ? rowCount - 1 : -1
  }

  deinit { free(memory) }

  var planeCount: Int { planes.count }

  func stride(ofPlane plane: Int) -> Int { planes[plane].stride }

  func start(ofPlane plane: Int) -> UnsafeMutableRawPointer { memory + planes[plane].offset }

  /// The row mask as zimg expects it.
  var rowMask: UInt32 { mask < 0 ? .max : UInt32(mask) }

  func row(_ row: Int, ofPlane plane: Int) -> UnsafeMutablePointer<UInt8> {
    (start(ofPlane: plane) + (row & mask) * planes[plane].stride).assumingMemoryBound(to: UInt8.self)
  }
}
