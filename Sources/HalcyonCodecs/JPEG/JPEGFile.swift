import HalcyonImaging
import JPEGShim

/// The bytes of one JPEG image, which can be opened several times.
struct JPEGFile {
  let bytes: UnsafeRawBufferPointer
  let size: PixelSize
  /// For images of inks that have a profile.
  let inkTransform: ColorTransform?
  let truncation: PartialImagePolicy
  let isCancelled: () -> Bool

  /// The same image in fewer bytes.
  func with(_ bytes: UnsafeRawBufferPointer) -> JPEGFile {
    JPEGFile(
      bytes: bytes, size: size, inkTransform: inkTransform, truncation: truncation, isCancelled: isCancelled)
  }

  /// The image as rows of RGBA.
  func rows(scale: JPEGScale) throws(ImageDecodingError) -> any RowSource {
    let reader = try JPEGReader(bytes, size: size, truncation: truncation)
    let header = try reader.readHeader()
    return try JPEGRowSource(
      reader, header: header, scale: scale, inkTransform: inkTransform, isCancelled: isCancelled)
  }

  /// The image as it is stored, in planes, where zimg understands them; else as planes of red, green and blue.
  func planes(scale: JPEGScale) throws(ImageDecodingError) -> any PlaneSource {
    let reader = try JPEGReader(bytes, size: size, truncation: truncation)
    let header = try reader.readHeader()
    let layout = try reader.plan(scale: scale)
    guard let format = PlaneFormat(header: header, layout: layout) else {
      let rows = try JPEGRowSource(
        reader, header: header, scale: scale, inkTransform: inkTransform, isCancelled: isCancelled)
      return RowPlaneSource(rows, isCancelled: isCancelled)
    }
    return try JPEGPlaneSource(reader, format: format, scale: scale, isCancelled: isCancelled)
  }
}

extension PlaneFormat {
  /// The format of planes of grey, or of luma and two colour differences with the same power-of-two subsampling;
  /// `nil` for anything else.
  init?(header: jpeg_shim_header, layout: jpeg_shim_layout) {
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

  /// The logarithm of how many times smaller a side is: 0, 1 or 2.
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
