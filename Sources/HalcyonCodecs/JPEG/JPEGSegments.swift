import Foundation

/// Iterates over the segments of a JPEG file (ITU-T T.81, annex B); scans include their entropy-coded data.
struct JPEGSegments {
  /// One segment.
  struct Segment {
    let marker: UInt8
    /// From its marker to the next marker.
    let range: Range<Int>
    /// The content after the length; for a scan, the scan header.
    let header: Bytes
  }

  static let startOfScan: UInt8 = 0xDA
  static let endOfImage: UInt8 = 0xD9
  private static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
  /// The markers that begin no segment, beside a zero after a byte of 0xFF.
  private static let restartsAndStart: ClosedRange<UInt8> = 0xD0...0xD8
  private static let temporary: UInt8 = 0x01

  private let bytes: Bytes
  private let start: UnsafeRawPointer
  private var offset = 2
  /// The end of the last complete segment, or the end of the bytes if they end inside a scan.
  private(set) var readableEnd = 2

  /// `nil` if there are no bytes. The bytes must outlive the iteration.
  init?(_ buffer: UnsafeRawBufferPointer) {
    guard let start = buffer.baseAddress else { return nil }
    bytes = Bytes(buffer)
    self.start = start
  }

  /// Whether a file has the end of its image.
  static func isComplete(_ buffer: UnsafeRawBufferPointer) -> Bool { end(of: buffer) != nil }

  /// The end of the image at the start of the bytes; `nil` if they end before it.
  static func end(of buffer: UnsafeRawBufferPointer) -> Int? {
    guard var segments = JPEGSegments(buffer) else { return nil }
    while let segment = segments.next() { if segment.marker == endOfImage { return segment.range.upperBound } }
    return nil
  }

  /// The next segment, or `nil` if the bytes end inside it.
  mutating func next() -> Segment? {
    guard let segment = nextHeader() else { return nil }
    guard segment.marker == Self.startOfScan else {
      readableEnd = offset
      return segment
    }
    guard skipScan() else {
      readableEnd = bytes.count
      return nil
    }
    readableEnd = offset
    return Segment(marker: segment.marker, range: segment.range.lowerBound..<offset, header: segment.header)
  }

  /// The next segment, of a scan only its header: call ``skipScan()`` before the next one.
  mutating func nextHeader() -> Segment? {
    guard let marker = nextMarker() else { return nil }
    let segmentStart = offset - 2
    if marker == Self.endOfImage { return Segment(marker: marker, range: segmentStart..<offset, header: bytes[0..<0]) }
    guard let length = bytes.unsigned16(at: offset).map({ max(2, $0) }) else { return nil }
    let header = bytes[offset + 2..<offset + length]
    guard header.count == length - 2 else { return nil }
    offset += length
    return Segment(marker: marker, range: segmentStart..<offset, header: header)
  }

  /// Skips the entropy-coded data after the header of a scan; returns `false` if no marker follows it.
  mutating func skipScan() -> Bool {
    guard let end = endOfScan() else { return false }
    offset = end
    return true
  }

  /// Moves past the next marker of a segment; bytes between segments are skipped, as in every decoder.
  private mutating func nextMarker() -> UInt8? {
    while let byte = bytes[offset] {
      offset += 1
      guard byte == 0xFF, let marker = bytes[offset], marker != 0xFF else { continue }
      offset += 1
      if marker > Self.temporary, !Self.restartsAndStart.contains(marker) { return marker }
    }
    return nil
  }

  /// The end of the entropy-coded data: the next marker other than a restart marker.
  private func endOfScan() -> Int? {
    var position = offset
    while position + 1 < bytes.count, let found = memchr(start + position, 0xFF, bytes.count - 1 - position) {
      position = UnsafeRawPointer(found) - start
      guard let next = bytes[position + 1] else { return nil }
      if next != 0, next != 0xFF, !Self.restarts.contains(next) { return position }
      position += next == 0xFF ? 1 : 2
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes of a JPEG file without a truncated last segment, which libjpeg would misread.
  var readableJPEG: UnsafeRawBufferPointer {
    guard var segments = JPEGSegments(self) else { return self }
    while let segment = segments.next(), segment.marker != JPEGSegments.endOfImage {}
    return UnsafeRawBufferPointer(rebasing: self[..<segments.readableEnd])
  }
}
