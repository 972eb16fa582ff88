import Foundation
import HalcyonImaging
import HalcyonSupport

/// The properties of an XMP packet (ISO 16684-1) that Halcyon reads, found by their usual names.
///
/// The packet is searched as text, not parsed as XML, so that nothing in it can refer to other resources.
struct XMPPacket {
  /// The largest packet that is read, in bytes.
  static let byteLimit = 4 << 20

  let data: Data

  init(_ data: Data) {
    self.data = data
  }

  /// The fields that the packet has and `metadata` lacks.
  func read(into metadata: inout ImageMetadata) {
    metadata.cameraMake = metadata.cameraMake ?? value("tiff:Make")
    metadata.cameraModel = metadata.cameraModel ?? value("tiff:Model")
    metadata.artist = metadata.artist ?? value("dc:creator")
    metadata.copyright = metadata.copyright ?? value("dc:rights")
    metadata.lens = metadata.lens ?? value("exifEX:LensModel") ?? value("aux:Lens")
    metadata.hasLocation = metadata.hasLocation || value("exif:GPSLatitude") != nil
    guard metadata.captureDate == nil else { return }
    let date = ["exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate"].lazy.compactMap(value).first
    metadata.captureDate = date.flatMap(MetadataDate.components)
  }

  /// The packet with the orientation set to upright.
  ///
  /// Its value is one digit, so the length does not change.
  var upright: Data {
    var upright = data
    var start = data.startIndex
    while let name = data.range(of: Data("tiff:Orientation".utf8), in: start..<data.endIndex) {
      start = name.upperBound
      let value = data[start...].prefix(8).firstIndex { (0x31...0x38).contains($0) }
      if let value { upright[value] = UInt8(ascii: "1") }
    }
    return upright
  }

  /// The value of a property: of an attribute, of an element, or of the first item in an element.
  private func value(_ name: String) -> String? { values(name).first }

  /// The values of a property: of an attribute, of an element, or of the first three items in an element.
  func values(_ name: String) -> [String] {
    if let start = end(of: "\(name)=", from: data.startIndex), let quote = data[start...].first,
      [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(quote)
    {
      return text(from: start + 1, to: quote).map { [$0] } ?? []
    }
    guard let element = end(of: "<\(name)", from: data.startIndex), let start = end(of: ">", from: element) else {
      return []
    }
    guard data[start...].prefix(64).allSatisfy({ $0 <= 0x20 }) == false,
      data[start...].first(where: { $0 > 0x20 }) == UInt8(ascii: "<")
    else { return text(from: start, to: UInt8(ascii: "<")).map { [$0] } ?? [] }
    let close = data.range(of: Data("</\(name)".utf8), in: start..<data.endIndex)?.lowerBound ?? data.endIndex
    var (values, position) = ([String](), start)
    while values.count < 3, let item = end(of: "<rdf:li", from: position), item < close,
      let content = end(of: ">", from: item), let text = text(from: content, to: UInt8(ascii: "<"))
    {
      values.append(text)
      position = content
    }
    return values
  }

  private func end(of text: String, from start: Data.Index) -> Data.Index? {
    data.range(of: Data(text.utf8), in: start..<data.endIndex)?.upperBound
  }

  private func text(from start: Data.Index, to terminator: UInt8) -> String? {
    let bytes = data[start...].prefix(MetadataText.byteLimit).prefix { $0 != terminator }
    guard let text = String(validUTF8: bytes) else { return nil }
    return MetadataText.cleaned(Self.unescaped(text))
  }

  private static func unescaped(_ text: String) -> String {
    guard text.contains("&") else { return text }
    return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")].reduce(text) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }
}
