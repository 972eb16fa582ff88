import Foundation
import HalcyonImaging

/// The parameters of a gain map in XMP, as Adobe's specification and Ultra HDR name them.
extension GainMap.Parameters {
  /// `nil` if the packet describes no gain map, or values that make no picture.
  init?(_ packet: XMPPacket) {
    guard !packet.values("hdrgm:Version").isEmpty, packet.values("hdrgm:GainMapMax").first != nil else { return nil }
    self.init()
    func read(_ name: String, _ channels: inout SIMD3<Double>) -> Bool {
      let texts = packet.values("hdrgm:\(name)")
      let numbers = texts.compactMap(Double.init)
      guard numbers.count == texts.count, [0, 1, 3].contains(numbers.count) else { return false }
      if let first = numbers.first { channels = numbers.count == 3 ? SIMD3(numbers) : SIMD3(repeating: first) }
      return true
    }
    func read(_ name: String, _ number: inout Double) -> Bool {
      guard let text = packet.values("hdrgm:\(name)").first else { return true }
      number = Double(text) ?? .nan
      return true
    }
    guard read("GainMapMin", &gainMin), read("GainMapMax", &gainMax), read("Gamma", &gamma),
      read("OffsetSDR", &offsetSDR), read("OffsetHDR", &offsetHDR), read("HDRCapacityMin", &capacityMin),
      read("HDRCapacityMax", &capacityMax)
    else { return nil }
    baseIsHDR = packet.values("hdrgm:BaseRenditionIsHDR").first?.lowercased() == "true"
    guard isValid else { return nil }
  }

  /// The packet of the map's own file.
  var xmp: Data {
    func attribute(_ name: String, _ channels: SIMD3<Double>) -> String {
      isSameInChannels ? " hdrgm:\(name)=\"\(channels.x)\"" : ""
    }
    func element(_ name: String, _ channels: SIMD3<Double>) -> String {
      if isSameInChannels { return "" }
      let items = (0..<3).map { "<rdf:li>\(channels[$0])</rdf:li>" }.joined()
      return "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
    }
    let fields = [
      ("GainMapMin", gainMin), ("GainMapMax", gainMax), ("Gamma", gamma), ("OffsetSDR", offsetSDR),
      ("OffsetHDR", offsetHDR),
    ]
    return XMPPacket.document(
      """
      <rdf:Description rdf:about="" \(XMPPacket.gainMapNamespace) hdrgm:Version="1.0"\
      \(fields.map { attribute($0, $1) }.joined()) hdrgm:HDRCapacityMin="\(capacityMin)" \
      hdrgm:HDRCapacityMax="\(capacityMax)" hdrgm:BaseRenditionIsHDR="False">\
      \(fields.map { element($0, $1) }.joined())</rdf:Description>
      """)
  }
}

extension XMPPacket {
  fileprivate static let gainMapNamespace = #"xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/""#
  /// What a packet has whose picture has a gain map.
  static let gainMapMark = Array("hdrgm:Version".utf8)
  /// What a packet has that lists the files behind its picture.
  static let fileListMark = Array("Container:Directory".utf8)

  fileprivate static func document(_ description: String) -> Data {
    Data(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      \(description)</rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  /// The packet of a picture whose gain map follows it in the file, with `packet` if there is one, which lists no files.
  ///
  /// - Parameter byteCount: The length of the gain map.
  static func packet(adding byteCount: Int, to packet: Data?) -> Data {
    let description = """
      <rdf:Description rdf:about="" \(gainMapNamespace) \
      xmlns:Container="http://ns.google.com/photos/1.0/container/" \
      xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0">\
      <Container:Directory><rdf:Seq>\
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>\
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" \
      Item:Length="\(byteCount)"/></rdf:li>\
      </rdf:Seq></Container:Directory></rdf:Description>
      """
    guard var packet, let end = packet.range(of: Data("</rdf:RDF>".utf8), options: .backwards) else {
      return document(description)
    }
    packet.insert(contentsOf: description.utf8, at: end.lowerBound)
    return packet
  }

  /// The lengths of the files that follow the picture, with the meaning of each, as the packet lists them.
  var containerItems: [(semantic: String, byteCount: Int)] {
    let items = String(decoding: data, as: UTF8.self).components(separatedBy: "<Container:Item").dropFirst()
    return items.prefix(16).compactMap { item in
      let item = XMPPacket(Data(item.utf8.prefix { $0 != UInt8(ascii: ">") }))
      guard let semantic = item.values("Item:Semantic").first else { return nil }
      return (semantic, item.values("Item:Length").first.flatMap(Int.init) ?? 0)
    }
  }
}

extension XMPPacket {
  /// Without what it says about files behind its picture: a gain map, or the video of a photo that moves.
  var withoutFollowingFiles: XMPPacket {
    [
      ("<Container:Directory", "</Container:Directory>"), ("hdrgm:Version=\"", "\""), ("GCamera:MotionPhoto=\"", "\""),
      ("GCamera:MicroVideo=\"", "\""),
    ].reduce(self) { $0.without(from: $1.0, to: $1.1) }
  }

  /// Without the parts between two texts, and without these.
  private func without(from start: String, to end: String) -> XMPPacket {
    var (kept, position) = (Data(), data.startIndex)
    while let first = data.range(of: Data(start.utf8), in: position..<data.endIndex),
      let last = data.range(of: Data(end.utf8), in: first.upperBound..<data.endIndex)
    {
      kept.append(data[position..<first.lowerBound])
      position = last.upperBound
    }
    return XMPPacket(position == data.startIndex ? data : kept + data[position...])
  }
}
