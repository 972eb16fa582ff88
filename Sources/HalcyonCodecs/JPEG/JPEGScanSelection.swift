import Foundation

/// Leaves out the scans of a progressive JPEG that a small scale does not show.
///
/// At an eighth libjpeg draws a component from the first coefficient of each block alone, and those come in scans of
/// their own (ITU-T T.81, G.1.1.1.1). The others are most of the file, and finding where they end takes looking for
/// markers, not decoding. At a quarter the last bit of all other coefficients goes, often a third of the file: half a
/// step of the quantisation, which the mean of the sixteen or more pixels that become one hides.
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
  private let scale: JPEGScale
  private var offset = 2
  /// Identifiers of the components drawn at an eighth.
  private var smallComponents: Set<UInt8> = []
  private var kept: [Range<Int>] = []

  /// The bytes without the scans that are not shown, or `nil` where that is not a whole progressive image: such a one
  /// is decoded as it is.
  static func essentialBytes(of buffer: UnsafeRawBufferPointer, scale: JPEGScale) -> [UInt8]? {
    guard scale == .eighth || scale == .quarter, let start = buffer.baseAddress, buffer.count > 4 else { return nil }
    var selection = JPEGScanSelection(bytes: Bytes(buffer), start: start, scale: scale)
    guard selection.walk() else { return nil }
    var essential: [UInt8] = []
    essential.reserveCapacity(selection.kept.reduce(2) { $0 + $1.count })
    essential.append(contentsOf: buffer.prefix(2))
    for range in selection.kept { essential.append(contentsOf: buffer[range]) }
    return essential
  }

  private init(bytes: Bytes, start: UnsafeRawPointer, scale: JPEGScale) {
    self.scale = scale
    self.bytes = bytes
    self.start = start
  }

  /// Goes through all segments; `false` where the file is not one to select from.
  private mutating func walk() -> Bool {
    while let marker = nextMarker() {
      let segmentStart = offset - 2
      if marker == Marker.endOfImage {
        kept.append(segmentStart..<offset)
        return !smallComponents.isEmpty
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
    let components = (0..<Int(count)).compactMap { index -> (id: UInt8, across: Int, down: Int)? in
      guard let id = segment[6 + index * 3], let sampling = segment[7 + index * 3] else { return nil }
      return (id, Int(sampling >> 4), Int(sampling & 15))
    }
    guard let widest = components.map(\.across).max(), let highest = components.map(\.down).max() else { return }
    // As the shim has it: a component with less than half the samples of the others is drawn larger.
    let small = components.filter { $0.across * 2 >= widest && $0.down * 2 >= highest }
    smallComponents = Set(small.map(\.id))
  }

  /// Whether a scan has only later coefficients of a component that is drawn from the first, or only their last bit.
  private func isDispensable(_ header: Bytes) -> Bool {
    guard header[0] == 1, let component = header[1], let firstCoefficient = header[3], let bits = header[5],
      firstCoefficient > 0
    else { return false }
    return scale == .eighth ? smallComponents.contains(component) : bits == 0x10
  }
}
