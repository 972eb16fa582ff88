import HalcyonImaging
import Foundation

/// Gives the rows of an image in planes, from top to bottom, once.
protocol PlaneSource: AnyObject {
  var format: PlaneFormat { get }

  /// The most rows that one ``readRows(at:into:)`` writes.
  var rowsPerRead: Int { get }

  /// Writes the next rows, the first of which is `row`, and returns how many.
  ///
  /// A plane with half the rows gets half of them; rows past the end of the image may be written too.
  func readRows(at row: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int

  /// Called after the last row: checks that the file is whole.
  func finish() throws(ImageDecodingError)
}

/// How the samples of an image lie in planes.
struct PlaneFormat: Equatable {
  enum Channels: Equatable {
    case grey
    case rgb
    /// Colours already multiplied by alpha.
    case rgbaPremultiplied
    /// Colour planes are smaller by powers of two.
    case yCbCr(shiftX: Int, shiftY: Int)
  }

  var channels: Channels
  /// The size of the first plane; a multiple of the subsampling.
  var size: PixelSize
  /// Bytes that the source writes in each row of each plane, at least the width of the plane.
  var rowByteCounts: [Int]
  /// What the numbers mean.
  var coding = SampleCoding()

  /// What these samples become: grey stays grey, everything else becomes red, green and blue.
  var outputChannels: Channels {
    if coding.alpha != .none { return .rgbaPremultiplied }
    if case .yCbCr = channels { return .rgb }
    return channels
  }

  /// Planes that all have the size of the image.
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

/// What the numbers of samples mean: those of JFIF where nothing else is said.
struct SampleCoding: Equatable {
  /// Where samples of smaller colour planes lie among those of the first plane.
  enum ChromaSiting: Equatable {
    case center
    case left
    case topLeft
  }

  /// A plane behind those of colour, which ``PlaneFormat/Channels/rgbaPremultiplied`` already has.
  enum Alpha: Equatable {
    case none
    case straight
    case premultiplied
  }

  /// Light beyond the white of paper, in the code points of ITU-T H.273.
  struct HighDynamicRange: Equatable {
    var primaries: Int
    var transfer: Int
  }

  /// Bits of a sample; over 8 it takes two bytes in the order of the machine.
  var depth = 8
  /// Whether black is 0 and white is the largest number.
  var isFullRange = true
  /// The matrix of YCbCr, as a code point of ITU-T H.273.
  var matrix = 5
  var chromaSiting = ChromaSiting.center
  var alpha = Alpha.none
  /// Colours that are turned into sRGB on the way, brighter ones cut to white. The white of paper has 203 cd/m²
  /// (ITU-R BT.2408).
  var highDynamicRange: HighDynamicRange?

  var bytesPerSample: Int { depth > 8 ? 2 : 1 }
}

/// Memory for some rows, or all, of a few planes, aligned for zimg.
///
/// A buffer with fewer rows than the image is a ring: row `i` lies at `i & mask`.
struct PlaneBuffer: ~Copyable {
  /// Bytes to which zimg wants rows aligned where it uses 512-bit instructions.
  private static let alignment = 64

  private let memory: UnsafeMutableRawPointer
  private let planes: [(offset: Int, stride: Int)]
  private let mask: Int

  /// Zeroed rows, or `nil` when there is no memory.
  ///
  /// - Parameters:
  ///   - rowByteCounts: Bytes of a row, for each plane.
  ///   - rowCount: Rows of each plane; a power of two where `isRing`.
  ///   - isRing: Whether rows past `rowCount` begin again at the first one.
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

  /// The mask in zimg's terms.
  var rowMask: UInt32 { mask < 0 ? .max : UInt32(mask) }

  func row(_ row: Int, ofPlane plane: Int) -> UnsafeMutablePointer<UInt8> {
    (start(ofPlane: plane) + (row & mask) * planes[plane].stride).assumingMemoryBound(to: UInt8.self)
  }
}
