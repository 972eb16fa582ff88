#if !IMAGEIO
import HalcyonImaging
import CHalcyonJPEGShim

/// One JPEG image in memory, which can be decoded several times.
struct JPEGFile {
  let bytes: UnsafeRawBufferPointer
  let size: PixelSize
  /// The conversion for CMYK images with a profile.
  let cmykTransform: ColorTransform?
  let truncation: PartialImagePolicy
  let isCancelled: () -> Bool

  /// The same image in fewer bytes.
  func with(_ bytes: UnsafeRawBufferPointer) -> JPEGFile {
    JPEGFile(
      bytes: bytes, size: size, cmykTransform: cmykTransform, truncation: truncation, isCancelled: isCancelled)
  }

  /// Opens the image as rows of RGBA.
  func rows(scale: JPEGScale) throws(ImageDecodingError) -> any RowSource {
    let reader = try JPEGReader(bytes, size: size, truncation: truncation)
    let header = try reader.readHeader()
    return try JPEGRowSource(
      reader, header: header, scale: scale, cmykTransform: cmykTransform, isCancelled: isCancelled)
  }

  /// Opens the image in its stored planes if zimg supports them, otherwise as planes of red, green and blue.
  func planes(scale: JPEGScale) throws(ImageDecodingError) -> any PlaneSource {
    let reader = try JPEGReader(bytes, size: size, truncation: truncation)
    let header = try reader.readHeader()
    let layout = try reader.plan(scale: scale)
    guard let format = PlaneFormat(header: header, layout: layout) else {
      let rows = try JPEGRowSource(
        reader, header: header, scale: scale, cmykTransform: cmykTransform, isCancelled: isCancelled)
      return RowPlaneSource(rows, isCancelled: isCancelled)
    }
    return try JPEGPlaneSource(reader, format: format, scale: scale, isCancelled: isCancelled)
  }
}

extension PlaneFormat {
  /// The plane format of a grey image, or a YCbCr image whose chroma planes have the same power-of-two subsampling;
  /// `nil` for anything else.
  fileprivate init?(header: jpeg_shim_header, layout: jpeg_shim_layout) {
    let size = PixelSize(width: layout.width, height: layout.height)
    let planes = layout.planes
    guard planes.0.width == size.width, planes.0.height == size.height else { return nil }
    if header.color == jpeg_shim_grey {
      self.init(channels: .grey, size: size, rowByteCounts: [planes.0.stored_width])
      return
    }
    guard header.color == jpeg_shim_ycbcr, header.component_count == 3, planes.1 == planes.2,
      let shiftX = Self.shift(from: planes.0.stored_width, to: planes.1.stored_width),
      let shiftY = Self.shift(from: planes.0.group_rows, to: planes.1.group_rows)
    else { return nil }
    self.init(
      channels: .yCbCr(shiftX: shiftX, shiftY: shiftY),
      size: PixelSize(
        width: size.width.roundedUp(toMultipleOf: 1 << shiftX), height: size.height.roundedUp(toMultipleOf: 1 << shiftY)
      ),
      rowByteCounts: [planes.0, planes.1, planes.2].map(\.stored_width))
  }

  /// The binary logarithm of the subsampling: 0, 1 or 2.
  private static func shift(from first: Int, to second: Int) -> Int? {
    (0...2).first { second << $0 == first }
  }
}

extension Int {
  fileprivate func roundedUp(toMultipleOf unit: Int) -> Int { (self + unit - 1) / unit * unit }
}

extension jpeg_shim_plane {
  fileprivate static func == (first: Self, second: Self) -> Bool {
    first.width == second.width && first.height == second.height && first.stored_width == second.stored_width
      && first.group_rows == second.group_rows
  }
}

/// The rows of a JPEG image as RGBA; YCbCr is converted by libjpeg, CMYK by its profile if it has one.
///
/// In CMYK, 255 is no ink: Adobe started it, and decoders assume it of files without its marker, too.
private final class JPEGRowSource: RowSource {
  let size: PixelSize
  let isOpaque = true

  private let reader: JPEGReader
  private let isCMYK: Bool
  private let cmykTransform: ColorTransform?

  init(
    _ reader: consuming JPEGReader, header: jpeg_shim_header, scale: JPEGScale, cmykTransform: ColorTransform?,
    isCancelled: () -> Bool
  ) throws(ImageDecodingError) {
    guard header.color != jpeg_shim_other else {
      throw .unsupportedFeature(.jpeg, feature: "an unknown colour space of \(header.component_count) components")
    }
    isCMYK = header.color == jpeg_shim_cmyk
    self.cmykTransform = cmykTransform
    let output = isCMYK ? jpeg_shim_packed_cmyk : jpeg_shim_packed_rgba
    let layout = try reader.start(output, scale: scale, isCancelled: isCancelled)
    size = PixelSize(width: layout.width, height: layout.height)
    self.reader = reader
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    try reader.readRow(into: row)
    guard isCMYK else { return }
    if let cmykTransform {
      cmykTransform.convert(row, to: row, count: size.width)
    } else {
      InvertedCMYK.convert(row, count: size.width)
    }
  }

  func finish() throws(ImageDecodingError) { try reader.finish() }
}

/// The stored planes of a JPEG image, before colour conversion.
private final class JPEGPlaneSource: PlaneSource {
  let format: PlaneFormat
  var rowsPerRead: Int { groupRows[0] }

  private let reader: JPEGReader
  /// The rows of each plane that libjpeg decodes at once.
  private let groupRows: [Int]
  /// The size of the first plane without padding to a multiple of the subsampling.
  private let size: PixelSize
  private let isCancelled: () -> Bool
  private var rows: [UnsafeMutablePointer<UInt8>?] = []

  init(
    _ reader: consuming JPEGReader, format: PlaneFormat, scale: JPEGScale, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    let layout = try reader.start(jpeg_shim_planes, scale: scale, isCancelled: isCancelled)
    let planes = [layout.planes.0, layout.planes.1, layout.planes.2].prefix(format.rowByteCounts.count)
    groupRows = planes.map(\.group_rows)
    size = PixelSize(width: layout.width, height: layout.height)
    self.reader = reader
    self.format = format
    self.isCancelled = isCancelled
  }

  func readRows(at row: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if isCancelled() { throw .cancelled }
    let group = row / groupRows[0]
    rows.removeAll(keepingCapacity: true)
    for (plane, count) in groupRows.enumerated() {
      for index in 0..<count { rows.append(planes.row(group * count + index, ofPlane: plane)) }
    }
    try reader.readGroup(into: rows)
    pad(row..<row + groupRows[0], of: planes)
    return groupRows[0]
  }

  func finish() throws(ImageDecodingError) { try reader.finish() }

  /// Fills the padding of the first plane with its last column and row, as its content in the file is arbitrary.
  private func pad(_ range: Range<Int>, of planes: borrowing PlaneBuffer) {
    if size.width < format.size.width {
      for row in range {
        let samples = planes.row(row, ofPlane: 0)
        for column in size.width..<format.size.width { samples[column] = samples[size.width - 1] }
      }
    }
    guard range.contains(size.height - 1) else { return }
    for row in size.height..<max(size.height, format.size.height) {
      planes.row(row, ofPlane: 0).update(from: planes.row(size.height - 1, ofPlane: 0), count: format.size.width)
    }
  }
}
#endif
