import Foundation
import HalcyonImaging
import HalcyonSupport

/// The name of a property: in XMP its namespace counts, not the prefix that a packet chooses for it.
struct XMPName: Hashable {
  /// The namespaces of the properties that Halcyon reads, by their usual prefixes.
  enum Namespace: String, CaseIterable {
    case rdf, tiff, exif, exifEX, aux, dc, photoshop, xmp, hdrgm
    case container = "Container"
    case item = "Item"
    case camera = "GCamera"
    case iptcCore = "Iptc4xmpCore"
    case iptcExtension = "Iptc4xmpExt"
    case drone = "drone-dji"
    case appleMap = "HDRGainMap"

    var uri: String {
      switch self {
      case .rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      case .tiff: "http://ns.adobe.com/tiff/1.0/"
      case .exif: "http://ns.adobe.com/exif/1.0/"
      case .exifEX: "http://cipa.jp/exif/1.0/"
      case .aux: "http://ns.adobe.com/exif/1.0/aux/"
      case .dc: "http://purl.org/dc/elements/1.1/"
      case .photoshop: "http://ns.adobe.com/photoshop/1.0/"
      case .xmp: "http://ns.adobe.com/xap/1.0/"
      case .hdrgm: "http://ns.adobe.com/hdr-gain-map/1.0/"
      case .container: "http://ns.google.com/photos/1.0/container/"
      case .item: "http://ns.google.com/photos/1.0/container/item/"
      case .camera: "http://ns.google.com/photos/1.0/camera/"
      case .iptcCore: "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
      case .iptcExtension: "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
      case .drone: "http://www.dji.com/drone-dji/1.0/"
      case .appleMap: "http://ns.apple.com/HDRGainMap/1.0/"
      }
    }

    static let byURI = Dictionary(uniqueKeysWithValues: allCases.map { ($0.uri, $0) })
  }

  let namespace: Namespace
  let local: String

  init(_ namespace: Namespace, _ local: String) { (self.namespace, self.local) = (namespace, local) }
}

/// The properties of an XMP packet (ISO 16684-1) that Halcyon reads, as far as the packet is well-formed XML.
struct XMPPacket {
  /// The largest packet that is read, in bytes.
  static let byteLimit = 4 << 20

  /// In UTF-8.
  let data: Data
  /// The value of each property, or of its first items.
  private(set) var values: [XMPName: [String]] = [:]
  /// The fields of the files that the packet lists (`Container:Directory`).
  private(set) var files: [[String: String]] = []
  /// Where properties are, repeated ones too, in the order of their starts.
  private(set) var places: [XMPReader.Place] = []
  /// Where further descriptions can be inserted: the end tag of `rdf:RDF`.
  private(set) var descriptionsEnd: Int?
  /// Whether all of it was read.
  private(set) var isWellFormed = false

  /// Parses a packet, once; costs time in proportion to its length.
  init(_ data: Data) {
    // Packets may be in UTF-16, with a mark of its byte order or without one.
    let isWide = data.prefix(2).contains { $0 == 0 || $0 >= 0xFE }
    let data = isWide ? Data(XMLText.utf8(of: data, byteLimit: Self.byteLimit)) : data
    self.data = data
    guard data.count <= Self.byteLimit else { return }
    data.withUnsafeBytes { bytes in
      var reader = XMPReader(Bytes(bytes))
      reader.read()
      (values, files, places) = (reader.values, reader.files, reader.places)
      (descriptionsEnd, isWellFormed) = (reader.descriptionsEnd, reader.isWellFormed)
    }
  }

  /// The first value of a property.
  func value(_ namespace: XMPName.Namespace, _ local: String) -> String? { values(namespace, local).first }

  func values(_ namespace: XMPName.Namespace, _ local: String) -> [String] { values[XMPName(namespace, local)] ?? [] }

  /// The fields that the packet has and `metadata` lacks.
  func read(into metadata: inout ImageMetadata) {
    metadata.cameraMake = metadata.cameraMake ?? value(.tiff, "Make")
    metadata.cameraModel = metadata.cameraModel ?? value(.tiff, "Model")
    metadata.artist = metadata.artist ?? value(.dc, "creator")
    metadata.copyright = metadata.copyright ?? value(.dc, "rights")
    metadata.lens = metadata.lens ?? value(.exifEX, "LensModel") ?? value(.aux, "Lens")
    metadata.hasLocation =
      metadata.hasLocation || value(.exif, "GPSLatitude") != nil || value(.drone, "GpsLatitude") != nil
    guard metadata.captureDate == nil else { return }
    let date = value(.exif, "DateTimeOriginal") ?? value(.photoshop, "DateCreated") ?? value(.xmp, "CreateDate")
    metadata.captureDate = date.flatMap(MetadataDate.components)
  }

  /// The packet of a new file with upright pixels: without its entries for files behind the picture, such as a gain map
  /// or the video of a live photo, and with the orientation set to upright.
  var ofNewFile: Data {
    var (output, position) = (Data(), 0)
    data.withUnsafeBytes { bytes in
      for place in places where place.range.lowerBound >= position {
        let isOrientation = place.name == XMPName(.tiff, "Orientation")
        guard isOrientation ? !place.value.isEmpty : place.name.describesFollowingFiles else { continue }
        let range = isOrientation ? place.value : place.range
        output.append(contentsOf: bytes[position..<range.lowerBound])
        if isOrientation { output.append(UInt8(ascii: "1")) }
        position = range.upperBound
      }
      output.append(contentsOf: bytes[position...])
    }
    return output
  }
}

extension XMPName {
  fileprivate var describesFollowingFiles: Bool {
    switch namespace {
    case .hdrgm: true
    case .container: local == "Directory"
    case .camera: ["MotionPhoto", "MicroVideo"].contains(local)
    default: false
    }
  }
}

/// Reads the properties of a packet in all forms of RDF: attributes, elements, items of arrays, fields of structures.
struct XMPReader {
  /// Where a property is.
  struct Place {
    let name: XMPName
    /// The attribute, or the element with its tags.
    var range: Range<Int>
    /// The value of the attribute, or the content of the element.
    var value: Range<Int>
  }

  /// The most values of a property, and the most files of a list.
  private static let itemLimit = 16

  private(set) var values: [XMPName: [String]] = [:]
  private(set) var files: [[String: String]] = []
  private(set) var places: [Place] = []
  private(set) var descriptionsEnd: Int?
  var isWellFormed: Bool { reader.isAtEnd }

  private var reader: XMLReader
  /// What each prefix means inside the current element; `nil` for other namespaces.
  private var scopes: [String: [XMPName.Namespace?]] = [:]
  private var elements: [Element] = []
  /// The property that the current element is part of.
  private var property: Property?

  private struct Element {
    let name: XMPName?
    /// The prefixes that it declares.
    var prefixes: [String] = []
    /// Its text, unless it has elements.
    var text: [UInt8]? = []
  }

  private struct Property {
    let name: XMPName?
    /// The number of open elements with its own.
    let depth: Int
    /// Its index in ``places``.
    let place: Int?
    /// Whether it is the first of its name: a repeated property does not replace its values.
    let isNew: Bool
  }

  init(_ bytes: Bytes) { reader = XMLReader(bytes) }

  mutating func read() {
    while let token = reader.next() {
      switch token {
      case .start(let name, let attributes): start(name, attributes)
      case .end: end()
      case .text(let range, let isLiteral): add(range, isLiteral: isLiteral)
      }
    }
    // An element that is not closed has no place.
    places.removeAll { $0.range.isEmpty }
    // The one over the limit has what belongs to the files after it.
    files = Array(files.prefix(Self.itemLimit))
  }

  private mutating func start(_ name: Range<Int>, _ attributes: [XMLReader.Attribute]) {
    if let parent = elements.indices.last { elements[parent].text = nil }
    var prefixes: [String] = []
    for attribute in attributes { declare(attribute, &prefixes) }
    let isDescription = property == nil && elements.last?.name == XMPName(.rdf, "Description")
    let element = Element(name: resolved(name), prefixes: prefixes)
    elements.append(element)
    if isDescription { startProperty(element.name) }
    if element.name == XMPName(.rdf, "li"), property?.name == XMPName(.container, "Directory"),
      files.count <= Self.itemLimit
    {
      files.append([:])
    }
    for attribute in attributes { read(attribute) }
  }

  private mutating func startProperty(_ name: XMPName?) {
    if let name {
      // Where it ends is not known yet.
      let start = reader.range.lowerBound
      places.append(Place(name: name, range: start..<start, value: reader.range.upperBound..<reader.range.upperBound))
    }
    property = Property(
      name: name, depth: elements.count, place: name == nil ? nil : places.count - 1,
      isNew: name.map { values[$0] == nil } ?? false)
  }

  private mutating func end() {
    guard let element = elements.popLast() else { return }
    for prefix in element.prefixes { scopes[prefix]?.removeLast() }
    if let text = element.text, let value = Self.value(text) { add(value, of: element.name) }
    if element.name == XMPName(.rdf, "RDF") { descriptionsEnd = reader.range.lowerBound }
    guard let property, property.depth == elements.count + 1 else { return }
    if let place = property.place {
      places[place].range = places[place].range.lowerBound..<reader.range.upperBound
      places[place].value =
        places[place].value.lowerBound..<max(places[place].value.lowerBound, reader.range.lowerBound)
    }
    self.property = nil
  }

  private mutating func add(_ range: Range<Int>, isLiteral: Bool) {
    guard property != nil, let element = elements.indices.last, let text = elements[element].text,
      text.count < MetadataText.byteLimit
    else { return }
    let bytes = reader.bytes[range.prefix(MetadataText.byteLimit - text.count)].buffer
    // The references of text, which are replaced at the end, are the only ones.
    elements[element].text?.append(
      contentsOf: isLiteral ? bytes.flatMap { $0 == UInt8(ascii: "&") ? Array("&amp;".utf8) : [$0] } : Array(bytes))
  }

  /// Adds a value of the current property, or a field of a structure in it.
  private mutating func add(_ value: String, of name: XMPName?) {
    guard let property, let name else { return }
    if name.namespace == .item, !files.isEmpty { files[files.count - 1][name.local] = value }
    guard let owner = property.name, property.isNew, name == owner || name.namespace == .rdf,
      values[owner, default: []].count < Self.itemLimit
    else { return }
    values[owner, default: []].append(value)
  }

  private mutating func read(_ attribute: XMLReader.Attribute) {
    // An attribute without a prefix has no namespace.
    guard reader.bytes[attribute.name].buffer.contains(UInt8(ascii: ":")), let name = resolved(attribute.name),
      name.namespace != .rdf
    else { return }
    var value: String? { Self.value(reader.bytes[attribute.value].buffer.prefix(MetadataText.byteLimit)) }
    if property != nil, name.namespace == .item, !files.isEmpty {
      files[files.count - 1][name.local] = value
    } else if property == nil, elements.last?.name == XMPName(.rdf, "Description") {
      places.append(Place(name: name, range: attribute.range, value: attribute.value))
      if values[name] == nil, let value { values[name] = [value] }
    }
  }

  private static func value(_ bytes: some Collection<UInt8>) -> String? {
    XMLReader.unescaped(bytes).flatMap(MetadataText.cleaned)
  }

  /// Declares the namespace of an attribute such as `xmlns:tiff`.
  private mutating func declare(_ attribute: XMLReader.Attribute, _ prefixes: inout [String]) {
    let name = reader.bytes[attribute.name]
    guard name.starts(with: "xmlns".utf8), name.count == 5 || name[5] == UInt8(ascii: ":") else { return }
    let prefix = String(decoding: name[min(6, name.count)..<name.count].buffer, as: UTF8.self)
    let uri = XMLReader.unescaped(reader.bytes[attribute.value].buffer.prefix(100)) ?? ""
    scopes[prefix, default: []].append(XMPName.Namespace.byURI[uri])
    prefixes.append(prefix)
  }

  /// The name of an element or an attribute; `nil` if its namespace is another one.
  ///
  /// A prefix that is not declared has its usual meaning.
  private func resolved(_ range: Range<Int>) -> XMPName? {
    let name = reader.bytes[range].buffer
    let colon = name.firstIndex(of: UInt8(ascii: ":"))
    let prefix = String(decoding: name[..<(colon ?? name.startIndex)], as: UTF8.self)
    guard let namespace = scopes[prefix]?.last ?? XMPName.Namespace(rawValue: prefix) else { return nil }
    return XMPName(namespace, String(decoding: name[(colon.map { $0 + 1 } ?? name.startIndex)...], as: UTF8.self))
  }
}
