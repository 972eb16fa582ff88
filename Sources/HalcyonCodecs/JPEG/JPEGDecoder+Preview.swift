public import HalcyonImaging
public import Foundation

extension JPEGDecoder: ProgressiveImageDecoder {
  /// The scans of a progressive image that are complete; one in a single scan has no preview.
  public func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    let scans = prefix.withUnsafeBytes { JPEGCompleteScans($0) }
    guard let scans, scans.count > stage else { return nil }
    var options = options
    options.allowsPartialImage = true
    let image = try decode(prefix.prefix(scans.end), options: options)
    return ImagePreview(image: image, stage: scans.count)
  }
}

/// How many scans of a progressive image some bytes hold as a whole, and where the last of these ends.
struct JPEGCompleteScans {
  private static let progressiveFrame: UInt8 = 0xC2

  private(set) var count = 0
  private(set) var end = 0

  /// `nil` where there is none.
  init?(_ prefix: UnsafeRawBufferPointer) {
    guard var segments = JPEGSegments(prefix) else { return nil }
    var isProgressive = false
    while let segment = segments.next(), segment.marker != JPEGSegments.endOfImage {
      if segment.marker == Self.progressiveFrame { isProgressive = true }
      guard segment.marker == JPEGSegments.startOfScan else { continue }
      count += 1
      end = segment.range.upperBound
    }
    guard isProgressive, count > 0 else { return nil }
  }
}
