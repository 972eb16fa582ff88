#if !IMAGEIO
import HalcyonImaging
import CHalcyonJPEGShim

/// The rows of a JPEG image as RGBA; YCbCr is converted by libjpeg unless it is preferred, CMYK by its profile if it has one.
///
/// In CMYK, 255 is no ink, as Adobe's files have it; decoders assume this also without Adobe's marker.
final class JPEGRowSource: RowSource {
  let size: PixelSize
  let isOpaque = true
  /// Whether the rows are YCbCr, three bytes a pixel.
  let isYCbCr: Bool

  private let reader: JPEGReader
  private let bytesPerPixel: Int
  /// The columns that libjpeg returns.
  private var columns: Range<Int>
  private let isCMYK: Bool
  private let cmykTransform: ColorTransform?

  init(
    _ reader: consuming JPEGReader, header: jpeg_shim_header, scale: JPEGScale, cmykTransform: ColorTransform?,
    prefersYCbCr: Bool = false, isCancelled: () -> Bool
  ) throws(ImageDecodingError) {
    guard header.color != jpeg_shim_other else {
      throw .unsupportedFeature(.jpeg, feature: "an unknown colour space of \(header.component_count) components")
    }
    isCMYK = header.color == jpeg_shim_cmyk
    self.cmykTransform = cmykTransform
    isYCbCr = prefersYCbCr && header.color == jpeg_shim_ycbcr
    let output =
      isCMYK ? jpeg_shim_packed_cmyk : isYCbCr ? jpeg_shim_packed_ycbcr : jpeg_shim_packed_rgba
    let layout = try reader.start(output, scale: scale, isCancelled: isCancelled)
    size = PixelSize(width: layout.width, height: layout.height)
    bytesPerPixel = isYCbCr ? 3 : 4
    columns = 0..<size.width
    self.reader = reader
  }

  func limit(to area: PixelArea) throws(ImageDecodingError) {
    guard area.width < size.width else { return }
    // libjpeg interpolates chroma from the samples around a pixel, but not across the edges.
    let margin = 2
    let wanted = max(0, area.left - margin)..<min(size.width, area.left + area.width + margin)
    self.columns = try reader.crop(to: wanted)..<wanted.upperBound
  }

  func skipRows(_ count: Int) throws(ImageDecodingError) { try reader.skipRows(count) }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    let row = row + columns.lowerBound * bytesPerPixel
    try reader.readRow(into: row)
    guard isCMYK else { return }
    if let cmykTransform {
      cmykTransform.convert(row, to: row, count: columns.count)
    } else {
      InvertedCMYK.convert(row, count: columns.count)
    }
  }

  func finish() throws(ImageDecodingError) { try reader.finish() }

  func stop() { reader.recordDamage() }
}
#endif
