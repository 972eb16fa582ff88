import HalcyonImaging
import JPEGShim

/// A JPEG image as rows of RGBA, colours converted by libjpeg, inks by their profile where they have one.
final class JPEGRowSource: RowSource {
  let size: PixelSize
  let isOpaque = true

  private let reader: JPEGReader
  private let inks: Inks?

  /// How values of inks are meant. Files with Adobe's marker have 255 for no ink.
  private enum Inks {
    case inverted
    case plain
    case described(ColorTransform)

    init(_ transform: ColorTransform?, isInverted: Bool) {
      self = if let transform { .described(transform) } else { isInverted ? .inverted : .plain }
    }
  }

  init(
    _ reader: consuming JPEGReader, header: jpeg_shim_header, scale: JPEGScale, inkTransform: ColorTransform?,
    isCancelled: () -> Bool
  ) throws(ImageDecodingError) {
    guard header.color != jpeg_shim_other else {
      throw .unsupportedFeature(.jpeg, feature: "an unknown colour space of \(header.component_count) components")
    }
    inks = header.color == jpeg_shim_cmyk ? Inks(inkTransform, isInverted: header.has_adobe_marker) : nil
    let output = inks == nil ? jpeg_shim_packed_rgba : jpeg_shim_packed_cmyk
    let layout = try reader.start(output, scale: scale, isCancelled: isCancelled)
    size = PixelSize(width: layout.width, height: layout.height)
    self.reader = reader
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    try reader.readRow(into: row)
    switch inks {
    case .inverted: convertInks(in: row, mask: 0)
    case .plain: convertInks(in: row, mask: 0xFF)
    case .described(let transform): transform.convert(row, to: row, count: size.width)
    case nil: break
    }
  }

  func finish() throws(ImageDecodingError) { try reader.finish() }

  /// - Parameter mask: 0xFF turns amounts of ink into what is left of the light.
  private func convertInks(in row: UnsafeMutablePointer<UInt8>, mask: UInt8) {
    for column in 0..<size.width {
      let pixel = row + column * 4
      let black = UInt16(pixel[3] ^ mask)
      for channel in 0..<3 {
        pixel[channel] = UInt8(truncatingIfNeeded: (UInt16(pixel[channel] ^ mask) &* black + 127) / 255)
      }
      pixel[3] = 255
    }
  }
}
