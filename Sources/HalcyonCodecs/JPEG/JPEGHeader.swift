import HalcyonImaging
import Foundation

/// The segments before the first scan of a JPEG file.
struct JPEGHeader {
  var size = PixelSize(width: 0, height: 0)
  var precision = 0
  var componentIDs: [UInt8] = []
  var orientation: ImageOrientation?
  /// The position of the Exif data in the file, without its prefix.
  var exif: Range<Int>?
  /// The position of the XMP packet in the file, without its prefix.
  var xmp: Range<Int>?
  /// The position of the index of a file with several images, which begins with a TIFF header.
  var multiPicture: Range<Int>?
  /// The position of the gain map parameters of ISO 21496-1, without their prefix.
  var iso: Range<Int>?
  /// Whether the XMP packet says that there is a gain map, and lists it among the files behind the picture.
  private var marksGainMap = false, listsGainMap = false
  /// The headroom of an Apple camera's gain map in stops, from its maker note.
  fileprivate(set) var appleHeadroom: Double?
  var isProgressive = false
  /// Whether the first scan has all components, so that a baseline file has no other.
  var hasOneScan = false
  var profileParts: [JPEGProfilePart] = []
  var hasJFIF = false
  /// The colour transform in Adobe's APP14 marker: 0 none, 1 YCbCr, 2 YCCK.
  var adobeTransform: UInt8?

  /// Precedes the Exif data in its segment.
  static let exifPrefix = Array("Exif\0\0".utf8)
  /// Precedes the index, the count and the bytes of each part of an ICC profile.
  static let profilePrefix = Array("ICC_PROFILE\0".utf8)
  /// Precedes the XMP packet in its segment.
  static let xmpPrefix = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

  /// Whether libjpeg decodes it row by row, without the coefficients of the whole image in memory.
  var isInRows: Bool { !isProgressive && hasOneScan }

  var info: ImageInfo {
    let gainMap = gainMapKind
    return ImageInfo(
      format: .jpeg, storedSize: size, orientation: orientation ?? .up, colorModel: colorModel,
      bitDepth: precision, hasColorProfile: !profileParts.isEmpty, droppedContent: gainMap == nil ? [] : [.gainMap],
      dynamicRange: gainMap.map { .gainMap($0, headroom: nil) } ?? .standard)
  }

  /// How the file says that a gain map follows the picture.
  private var gainMapKind: GainMapKind? {
    guard multiPicture != nil || marksGainMap && listsGainMap else { return nil }
    return iso != nil ? .iso : marksGainMap ? .xmp : appleHeadroom != nil ? .apple : nil
  }

  /// Whether the rest of the file may have a gain map.
  var hintsAtGainMap: Bool { multiPicture != nil || marksGainMap || listsGainMap || iso != nil }

  fileprivate mutating func readXMP(_ packet: Bytes) {
    // Most packets are about other things, and are not parsed for the header.
    guard Self.gainMapNamespaces.contains(where: { packet.contains(Array($0.uri.utf8)) }) else { return }
    let packet = XMPPacket(packet.data)
    marksGainMap = packet.marksGainMap
    listsGainMap = packet.files.contains { $0["Semantic"] == "GainMap" }
  }

  private static let gainMapNamespaces: [XMPName.Namespace] = [.hdrgm, .container]

  /// The colour model, by the heuristics of libjpeg.
  var colorModel: ColorModel {
    switch componentIDs.count {
    case 1: .grey
    case 4: .cmyk
    default: isRGB ? .rgb : .yCbCr
    }
  }

  private var isRGB: Bool {
    if hasJFIF { return false }
    if let adobeTransform { return adobeTransform == 0 }
    return componentIDs == Array("RGB".utf8)
  }
}

/// Parses the segments of a JPEG file (ITU-T T.81, annex B) up to the first scan; others are skipped by their length.
struct JPEGHeaderParser {
  private let bytes: Bytes
  private var header = JPEGHeader()
  private var hasFrame = false
  private var parts = HeaderParts(.jpeg)

  /// The header, or `nil` when the bytes end before the first scan.
  static func parse(_ bytes: Bytes) throws(ImageDecodingError) -> JPEGHeader? {
    guard bytes.count >= 2, var segments = JPEGSegments(bytes.buffer) else { return nil }
    guard bytes.starts(with: [0xFF, 0xD8]) else { throw .corrupt(.jpeg, reason: "its signature is wrong") }
    var parser = JPEGHeaderParser(bytes: bytes)
    while let segment = segments.nextHeader() {
      try parser.parts.add()
      try parser.read(segment.header, of: segment.marker, endingAt: segment.range.upperBound)
      if segment.marker == JPEGSegments.startOfScan {
        parser.readHeadroom()
        return parser.header
      }
    }
    return nil
  }

  private init(bytes: Bytes) {
    self.bytes = bytes
  }

  private enum Marker {
    static let frames: ClosedRange<UInt8> = 0xC0...0xC2
    static let progressiveFrame: UInt8 = 0xC2
    static let jfif: UInt8 = 0xE0
    static let exif: UInt8 = 0xE1
    static let profile: UInt8 = 0xE2
    static let adobe: UInt8 = 0xEE
  }

  private mutating func read(_ segment: Bytes, of marker: UInt8, endingAt end: Int) throws(ImageDecodingError) {
    switch marker {
    case JPEGSegments.endOfImage: throw .corrupt(.jpeg, reason: "it ends before its first scan")
    case Marker.frames:
      try readFrame(segment)
      header.isProgressive = marker == Marker.progressiveFrame
    case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
      throw .unsupportedFeature(.jpeg, feature: "a lossless, hierarchical or arithmetic-coded frame")
    case JPEGSegments.startOfScan where !hasFrame: throw .corrupt(.jpeg, reason: "a scan comes before the frame header")
    case JPEGSegments.startOfScan: header.hasOneScan = segment[0].map { Int($0) } == header.componentIDs.count
    case Marker.jfif: header.hasJFIF = header.hasJFIF || segment.starts(with: "JFIF\0".utf8)
    case Marker.exif: readExif(segment, endingAt: end)
    case Marker.profile:
      if let part = JPEGProfilePart(segment, endingAt: end) { header.profileParts.append(part) }
      header.multiPicture = header.multiPicture ?? content(segment, endingAt: end, after: MultiPicture.prefix)
      header.iso = header.iso ?? content(segment, endingAt: end, after: GainMap.Parameters.isoPrefix)
    case Marker.adobe where segment.starts(with: "Adobe".utf8):
      header.adobeTransform = segment[11] ?? header.adobeTransform
    default: break
    }
  }

  private mutating func readExif(_ segment: Bytes, endingAt end: Int) {
    if header.xmp == nil, let xmp = content(segment, endingAt: end, after: JPEGHeader.xmpPrefix) {
      header.xmp = xmp
      header.readXMP(bytes[xmp])
    }
    guard header.orientation == nil, segment.starts(with: "Exif\0".utf8) else { return }
    header.orientation = ExifData(segment[6..<segment.count])?.orientation
    if segment.count > 6 { header.exif = header.exif ?? end - segment.count + 6..<end }
  }

  /// Only files with several images can have a gain map of Apple's cameras.
  private mutating func readHeadroom() {
    guard header.multiPicture != nil, let exif = header.exif else { return }
    header.appleHeadroom = ExifData(bytes[exif])?.appleHeadroom
  }

  /// The position of the content of a segment that begins with a prefix.
  private func content(_ segment: Bytes, endingAt end: Int, after prefix: [UInt8]) -> Range<Int>? {
    segment.starts(with: prefix) ? end - segment.count + prefix.count..<end : nil
  }

  private mutating func readFrame(_ segment: Bytes) throws(ImageDecodingError) {
    guard !hasFrame else { throw .corrupt(.jpeg, reason: "it has two frame headers") }
    guard let precision = segment[0], let height = segment.unsigned16(at: 1), let width = segment.unsigned16(at: 3),
      let count = segment[5], count > 0, segment.count >= 6 + Int(count) * 3
    else { throw .corrupt(.jpeg, reason: "its frame header is too short") }
    guard precision == 8 else { throw .unsupportedFeature(.jpeg, feature: "\(precision) bits per sample") }
    guard [1, 3, 4].contains(count) else { throw .unsupportedFeature(.jpeg, feature: "\(count) components") }
    header.precision = Int(precision)
    header.size = PixelSize(width: width, height: height)
    header.componentIDs = (0..<Int(count)).compactMap { segment[6 + $0 * 3] }
    hasFrame = true
  }
}

/// One chunk of an ICC profile, which is split because a segment holds at most 64 KB (ICC.1:2022, B.4).
struct JPEGProfilePart {

  /// The index of the chunk, from 1.
  fileprivate let index: Int
  /// The number of chunks.
  fileprivate let count: Int
  /// Its bytes in the file.
  fileprivate let range: Range<Int>

  /// `nil` if the segment is not part of an ICC profile.
  fileprivate init?(_ segment: Bytes, endingAt end: Int) {
    let start = JPEGHeader.profilePrefix.count + 2
    guard segment.starts(with: JPEGHeader.profilePrefix), let index = segment[start - 2], let count = segment[start - 1]
    else {
      return nil
    }
    self.index = Int(index)
    self.count = Int(count)
    range = end - segment.count + start..<end
  }
}

extension [JPEGProfilePart] {
  /// The assembled profile of a file, or `nil` if it has none; an incomplete profile has no bytes.
  func profile(in file: UnsafeRawBufferPointer) -> ColorDescription? {
    guard let count = first?.count else { return nil }
    let parts = sorted { $0.index < $1.index }
    guard parts.map(\.index) == Array<Int>(1...Swift.max(1, count)), allSatisfy({ $0.count == count }),
      parts.reduce(0, { $0 + $1.range.count }) <= ColorDescription.profileByteLimit
    else { return .profile(Data()) }
    return .profile(parts.reduce(into: Data()) { $0.append(contentsOf: file[$1.range]) })
  }
}
