package import HalcyonImaging
package import Foundation

extension JPEGDecoder: ProgressiveImageDecoder {
  /// A preview from the first bytes of a file. A progressive image shows its complete scans. Before the first scan, and
  /// for a baseline image, it is the Exif thumbnail if that has the aspect ratio of the image. A baseline image without
  /// one shows its rows so far, above grey ones.
  package func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard let header = try parse(prefix), let data = prefix.withUnsafeBytes({ JPEGReceivedData($0) }) else {
      return nil
    }
    if !data.isProgressive || data.scanCount == 0 {
      // The rows so far, above grey ones, would show less than the thumbnail.
      if stage == JPEGReceivedData.thumbnailStage { return nil }
      if stage == 0, let thumbnail = thumbnail(of: prefix, header, options: options) {
        return ImagePreview(image: thumbnail, stage: JPEGReceivedData.thumbnailStage)
      }
    }
    guard data.stage > stage else { return nil }
    let image = try decodeReceived(prefix.prefix(data.end), options: options)
    // All pixels may have been received before the end of the file.
    return ImagePreview(
      image: DecodedImage(bitmap: image.bitmap, info: image.info, isPartial: true), stage: data.stage)
  }

  /// The thumbnail at the size of the preview; `nil` if there is none that shows the whole image.
  private func thumbnail(of prefix: Data, _ header: JPEGHeader, options: DecodingOptions) -> DecodedImage? {
    prefix.withUnsafeBytes { buffer -> DecodedImage? in
      guard let exif = header.exif, let range = ExifData(Bytes(buffer)[exif])?.thumbnail else { return nil }
      let bytes = UnsafeRawBufferPointer(
        rebasing: buffer[exif.lowerBound + range.lowerBound..<exif.lowerBound + range.upperBound])
      guard let small = try? JPEGHeaderParser.parse(Bytes(bytes)), small.shows(header) else { return nil }
      // A damaged thumbnail must not fail the preview.
      return try? image(ofThumbnail: bytes, small, of: header, in: buffer, options: options)
    }
  }
}

extension JPEGHeader {
  /// Whether this thumbnail shows the whole image, in its colours: some cameras add bars to the sides.
  fileprivate func shows(_ whole: JPEGHeader) -> Bool {
    guard size.width > 0, size.height > 0, size.width <= whole.size.width, size.height <= whole.size.height,
      colorModel != .cmyk, whole.colorModel != .cmyk, (colorModel == .grey) == (whole.colorModel == .grey)
    else { return false }
    // Both sides are rounded to whole pixels.
    let ratio = Double(whole.size.width) / Double(whole.size.height)
    return abs(Double(size.height) * ratio - Double(size.width)) <= max(1, ratio)
  }
}

/// The image data in the first bytes of a JPEG file.
private struct JPEGReceivedData {
  /// The stage of a thumbnail, which comes before the stages of the image data.
  static let thumbnailStage = 1
  /// Rows of a baseline image are previewed each time that so many bytes have been received.
  private static let stepByteCount = 4096
  private static let frames: ClosedRange<UInt8> = 0xC0...0xC2
  private static let progressiveFrame: UInt8 = 0xC2

  private(set) var isProgressive = false
  /// The number of complete scans.
  private(set) var scanCount = 0
  /// The end of the data to decode: of the last complete scan of a progressive image, and of all bytes of a baseline one.
  private(set) var end = 0
  /// The bytes of the scan of a baseline image that has one scan.
  private var baselineByteCount = 0

  /// The stage of a preview: it rises with each scan, or with the rows of a baseline image; 0 before there are any.
  var stage: Int {
    let count = isProgressive ? scanCount : baselineByteCount / Self.stepByteCount
    return count == 0 ? 0 : Self.thumbnailStage + count
  }

  /// `nil` for at most four bytes.
  init?(_ prefix: UnsafeRawBufferPointer) {
    guard var segments = JPEGSegments(prefix) else { return nil }
    var componentCount: UInt8?
    var readEnd = 2
    while let segment = segments.next(), segment.marker != JPEGSegments.endOfImage {
      readEnd = segment.range.upperBound
      if Self.frames.contains(segment.marker) {
        isProgressive = segment.marker == Self.progressiveFrame
        componentCount = segment.header[5]
      }
      guard segment.marker == JPEGSegments.startOfScan else { continue }
      scanCount += 1
      end = readEnd
    }
    guard !isProgressive, scanCount == 0 else { return }
    // The scan begins with its marker, its length and the number of its components.
    let scan = Bytes(prefix)[readEnd..<prefix.count]
    guard scan[1] == JPEGSegments.startOfScan, let components = scan[4], components == componentCount else { return }
    (end, baselineByteCount) = (prefix.count, scan.count)
  }
}
