import Foundation
import HalcyonImaging

/// The parameters of a gain map in XMP, as Adobe's specification and Ultra HDR name them.
extension GainMap.Parameters {
  /// `nil` if the packet describes no gain map, or has values out of range.
  init?(_ packet: XMPPacket) {
    guard packet.value(.hdrgm, "Version") != nil, packet.value(.hdrgm, "GainMapMax") != nil else { return nil }
    self.init()
    func read(_ name: String, _ channels: inout SIMD3<Double>) -> Bool {
      let texts = packet.values(.hdrgm, name)
      let numbers = texts.compactMap(Double.init)
      guard numbers.count == texts.count, [0, 1, 3].contains(numbers.count) else { return false }
      if let first = numbers.first { channels = numbers.count == 3 ? SIMD3(numbers) : SIMD3(repeating: first) }
      return true
    }
    func read(_ name: String, _ number: inout Double) {
      if let text = packet.value(.hdrgm, name) { number = Double(text) ?? .nan }
    }
    guard read("GainMapMin", &gainMin), read("GainMapMax", &gainMax), read("Gamma", &gamma),
      read("OffsetSDR", &offsetSDR), read("OffsetHDR", &offsetHDR)
    else { return nil }
    read("HDRCapacityMin", &capacityMin)
    read("HDRCapacityMax", &capacityMax)
    baseIsHDR = packet.value(.hdrgm, "BaseRenditionIsHDR")?.lowercased() == "true"
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
  fileprivate static let gainMapNamespace = #"xmlns:hdrgm="\#(XMPName.Namespace.hdrgm.uri)""#

  /// Whether the packet marks its picture as one with a gain map, or as a gain map.
  var marksGainMap: Bool { value(.hdrgm, "Version") != nil }

  fileprivate static func document(_ description: String) -> Data {
    Data(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\(XMPName.Namespace.rdf.uri)">\
      \(description)</rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  /// The packet of a picture whose gain map follows it in the file, with `packet` if there is one, which lists no files.
  ///
  /// - Parameter byteCount: The length of the gain map.
  static func packet(adding byteCount: Int, to packet: Data?) -> Data {
    // The packet may have another prefix for RDF.
    let description = """
      <rdf:Description xmlns:rdf="\(XMPName.Namespace.rdf.uri)" rdf:about="" \(gainMapNamespace) \
      xmlns:Container="\(XMPName.Namespace.container.uri)" xmlns:Item="\(XMPName.Namespace.item.uri)" \
      hdrgm:Version="1.0"><Container:Directory><rdf:Seq>\
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>\
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" \
      Item:Length="\(byteCount)"/></rdf:li>\
      </rdf:Seq></Container:Directory></rdf:Description>
      """
    guard let packet = packet.map(XMPPacket.init), let end = packet.descriptionsEnd else {
      return document(description)
    }
    return packet.data.prefix(end) + Data(description.utf8) + packet.data.dropFirst(end)
  }
}
