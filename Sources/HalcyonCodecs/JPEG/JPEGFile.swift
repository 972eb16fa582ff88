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
  /// Where decoding can begin; `nil` for a small file.
  var index: JPEGIndex?

  /// All of the image at a scale.
  func whole(_ scale: JPEGScale) -> JPEGPart {
    JPEGPart(scale: scale, area: PixelArea(size: scale.size(of: size)), readsToEnd: true)
  }

  /// Opens the image as rows of RGBA.
  ///
  /// - Parameter prefersYCbCr: Whether the rows of a YCbCr image are left as they are.
  func rows(scale: JPEGScale, prefersYCbCr: Bool = false) throws(ImageDecodingError) -> JPEGRowSource {
    let reader = try JPEGReader(bytes, size: size, truncation: truncation)
    let header = try reader.readHeader()
    return try JPEGRowSource(
      reader, header: header, scale: scale, cmykTransform: cmykTransform, prefersYCbCr: prefersYCbCr,
      isCancelled: isCancelled)
  }

  /// Opens rows of the image in its stored planes if zimg supports them, otherwise as planes of red, green and blue.
  func planes(_ part: JPEGPart) throws(ImageDecodingError) -> any PlaneSource {
    let scale = part.scale
    let reader = try JPEGReader(bytes, size: size, truncation: truncation)
    let header = try reader.readHeader()
    let layout = try reader.plan(scale: scale)
    guard let planes = JPEGPlanes(header: header, layout: layout) else {
      let rows = try JPEGRowSource(
        reader, header: header, scale: scale, cmykTransform: cmykTransform, isCancelled: isCancelled)
      let area = PixelArea(left: 0, top: part.rows.lowerBound, width: rows.size.width, height: part.rows.count)
      let cropped = try CroppedRowSource(rows, to: area, readsToEnd: part.readsToEnd, isCancelled: isCancelled)
      return RowPlaneSource(cropped, isCancelled: isCancelled)
    }
    return try JPEGPlaneSource(reader, planes: planes, part, height: layout.height, isCancelled: isCancelled)
  }
}

/// A part of a JPEG image at a scale.
struct JPEGPart {
  /// A multiple of the sides of every kind of MCU, and of those whose sampling factors are powers of two.
  static let (unit, plainUnit) = (96, 32)

  let scale: JPEGScale
  /// Begins and ends at multiples of the unit or at the image's edge. libjpeg reads whole rows.
  let area: PixelArea
  /// Whether damage after the area is an error.
  let readsToEnd: Bool

  var rows: Range<Int> { area.top..<area.top + area.height }
}

/// The stored planes of a JPEG image, before colour conversion.
private final class JPEGPlaneSource: PlaneSource {
  var format: PlaneFormat { planes.format }
  var rowsPerRead: Int { planes.groupRows[0] }

  private let reader: JPEGReader
  private let planes: JPEGPlanes
  private let part: JPEGPart
  /// The number of rows of the whole image.
  private let height: Int
  private let isCancelled: () -> Bool
  private var rows: [UnsafeMutablePointer<UInt8>?] = []

  init(
    _ reader: consuming JPEGReader, planes: JPEGPlanes, _ part: JPEGPart, height: Int,
    isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    _ = try reader.start(jpeg_shim_planes, scale: part.scale, isCancelled: isCancelled)
    self.reader = reader
    self.planes = planes.part(part.area.size)
    self.part = part
    self.height = height
    self.isCancelled = isCancelled
  }

  private func skip(_ rows: Range<Int>) throws(ImageDecodingError) {
    for _ in stride(from: rows.lowerBound, to: rows.upperBound, by: rowsPerRead) {
      if isCancelled() { throw .cancelled }
      try reader.skipGroup()
    }
  }

  func readRows(at row: Int, into buffer: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
    if row == 0 { try skip(0..<part.rows.lowerBound) }
    if isCancelled() { throw .cancelled }
    let group = row / rowsPerRead
    rows.removeAll(keepingCapacity: true)
    for (plane, count) in planes.groupRows.enumerated() {
      for index in 0..<count { rows.append(buffer.row(group * count + index, ofPlane: plane)) }
    }
    try reader.readGroup(into: rows)
    planes.pad(row..<row + rowsPerRead, of: buffer)
    return rowsPerRead
  }

  func finish() throws(ImageDecodingError) {
    guard part.readsToEnd else { return reader.recordDamage() }
    try skip(part.rows.upperBound..<height)
    try reader.finish()
  }
}

extension JPEGPlanes {
  /// `nil` for components that are not grey or YCbCr, too.
  fileprivate init?(header: jpeg_shim_header, layout: jpeg_shim_layout) {
    let isGrey = header.color == jpeg_shim_grey
    guard isGrey || header.color == jpeg_shim_ycbcr && header.component_count == 3 else { return nil }
    let planes = [layout.planes.0, layout.planes.1, layout.planes.2].prefix(isGrey ? 1 : 3)
    self.init(
      size: PixelSize(width: layout.width, height: layout.height),
      planes: planes.map { plane in
        Plane(
          size: PixelSize(width: plane.width, height: plane.height), storedWidth: plane.stored_width,
          groupRows: plane.group_rows)
      })
  }
}
#endif
