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
  ///
  /// - Parameter prefersYCbCr: Whether the rows of a YCbCr image are left as they are.
  func rows(scale: JPEGScale, prefersYCbCr: Bool = false) throws(ImageDecodingError) -> JPEGRowSource {
    let reader = try JPEGReader(bytes, size: size, truncation: truncation)
    let header = try reader.readHeader()
    return try JPEGRowSource(
      reader, header: header, scale: scale, cmykTransform: cmykTransform, prefersYCbCr: prefersYCbCr,
      isCancelled: isCancelled)
  }

  /// Opens the image in its stored planes if zimg supports them, otherwise as planes of red, green and blue.
  func planes(scale: JPEGScale) throws(ImageDecodingError) -> any PlaneSource {
    let reader = try JPEGReader(bytes, size: size, truncation: truncation)
    let header = try reader.readHeader()
    let layout = try reader.plan(scale: scale)
    guard let planes = JPEGPlanes(header: header, layout: layout) else {
      let rows = try JPEGRowSource(
        reader, header: header, scale: scale, cmykTransform: cmykTransform, isCancelled: isCancelled)
      return RowPlaneSource(rows, isCancelled: isCancelled)
    }
    return try JPEGPlaneSource(reader, planes: planes, scale: scale, isCancelled: isCancelled)
  }
}

/// The stored planes of a JPEG image, before colour conversion.
private final class JPEGPlaneSource: PlaneSource {
  var format: PlaneFormat { planes.format }
  var rowsPerRead: Int { planes.groupRows[0] }

  private let reader: JPEGReader
  private let planes: JPEGPlanes
  private let isCancelled: () -> Bool
  private var rows: [UnsafeMutablePointer<UInt8>?] = []

  init(
    _ reader: consuming JPEGReader, planes: JPEGPlanes, scale: JPEGScale, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    _ = try reader.start(jpeg_shim_planes, scale: scale, isCancelled: isCancelled)
    self.reader = reader
    self.planes = planes
    self.isCancelled = isCancelled
  }

  func readRows(at row: Int, into buffer: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int {
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

  func finish() throws(ImageDecodingError) { try reader.finish() }
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
