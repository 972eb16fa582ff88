import Foundation

/// Leaves out the scans of a progressive JPEG that an eighth of its size does not show.
///
/// At this scale libjpeg draws a component without subsampling from the first coefficient of each block alone, and those
/// come in scans of their own (ITU-T T.81, G.1.1.1.1). The others are most of the file, and finding where they end takes
/// looking for markers, not decoding. Subsampled components are drawn at a larger scale, so all of their scans stay.
struct JPEGScanSelection {
  private enum Marker {
    static let progressiveFrame: UInt8 = 0xC2
    static let otherFrames: Set<UInt8> = [
      0xC0, 0xC1, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF,
    ]
    static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
    static let endOfImage: UInt8 = 0xD9
    static let startOfScan: UInt8 = 0xDA
  }

  private let bytes: Bytes
  private let start: UnsafeRawPointer
  private var offset = 2
  private var fullComponents: Set<UInt8> = []
  private var kept: [Range<Int>] = []

  /// The bytes without the scans that are not shown, or `nil` where that is not a whole progressive image: such a one
  /// is decoded as it is.
  static func essentialBytes(of buffer: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let start = buffer.baseAddress, buffer.count > 4 else { return nil }
    var selection = JPEGScanSelection(bytes: Bytes(buffer), start: start)
    guard selection.walk() else { return nil }
    var essential: [UInt8] = []
    essential.reserveCapacity(selection.kept.reduce(2) { $0 + $1.count })
    essential.append(contentsOf: buffer.prefix(2))
    for range in selection.kept { essential.append(contentsOf: buffer[range]) }
    return essential
  }

  private init(bytes: Bytes, start: UnsafeRawPointer) {
    self.bytes = bytes
    self.start = start
  }

  /// Goes through all segments; `false` where the file is not one to select from.
  private mutating func walk() -> Bool {
    while let marker = nextMarker() {
      let segmentStart = offset - 2
      if marker == Marker.endOfImage {
        kept.append(segmentStart..<offset)
        return !fullComponents.isEmpty
      }
      guard !Marker.otherFrames.contains(marker), let length = bytes.unsigned16(at: offset), length >= 2 else {
        return false
      }
      let segment = bytes[offset + 2..<offset + length]
      offset += length
      if marker == Marker.progressiveFrame { readFrame(segment) }
      if marker == Marker.startOfScan {
        guard let end = endOfScan() else { return false }
        offset = end
        if isDispensable(segment) { continue }
      }
      kept.append(segmentStart..<offset)
    }
    return false
  }

  /// Moves behind the next marker.
  private mutating func nextMarker() -> UInt8? {
    while let byte = bytes[offset], byte != 0xFF { offset += 1 }
    while bytes[offset] == 0xFF { offset += 1 }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Where the entropy-coded bytes end: at the next marker that is none of theirs.
  private func endOfScan() -> Int? {
    var position = offset
    while position + 1 < bytes.count, let found = memchr(start + position, 0xFF, bytes.count - 1 - position) {
      position = UnsafeRawPointer(found) - start
      guard let next = bytes[position + 1] else { return nil }
      if next != 0, next != 0xFF, !Marker.restarts.contains(next) { return position }
      position += next == 0xFF ? 1 : 2
    }
    return nil
  }

  private mutating func readFrame(_ segment: Bytes) {
    guard let count = segment[5] else { return }
    let components = (0..<Int(count)).compactMap { index -> (id: UInt8, sampling: UInt8)? in
      guard let id = segment[6 + index * 3], let sampling = segment[7 + index * 3] else { return nil }
      return (id, sampling)
    }
    let widest = components.map { $0.sampling >> 4 }.max()
    let highest = components.map { $0.sampling & 15 }.max()
    let full = components.filter { $0.sampling >> 4 == widest && $0.sampling & 15 == highest }
    fullComponents = Set(full.map(\.id))
  }

  /// Whether a scan has only later coefficients of a component without subsampling.
  private func isDispensable(_ header: Bytes) -> Bool {
    guard header[0] == 1, let component = header[1], let firstCoefficient = header[3] else { return false }
    return firstCoefficient > 0 && fullComponents.contains(component)
  }
}
