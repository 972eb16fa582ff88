import Foundation
import HalcyonImaging

/// The items of a HEIF file with their references and properties, from its `meta` box (ISO/IEC 23008-12, 6;
/// ISO/IEC 14496-12, 8.11).
struct ItemTable {
  /// References of one type between items.
  struct References {
    /// The items with references, in the order of the file.
    private(set) var sources: [Int] = []
    private var targets: [Int: [Int]] = [:]

    /// The items to which `source` refers.
    subscript(source: Int) -> [Int] { targets[source] ?? [] }

    fileprivate mutating func add(_ target: Int, to source: Int) {
      if targets[source] == nil { sources.append(source) }
      targets[source, default: []].append(target)
    }
  }

  /// One association of a property with an item.
  private struct Association: Hashable {
    let item: Int
    /// From 1.
    let property: Int
  }

  /// Libraries search all items for each one; a grid with an image of 16,384 pixels a side has 4,096 tiles of 256.
  private static let itemLimit = 20_000
  /// The most properties of an item, of which files have up to ten.
  private static let propertyLimit = 64

  /// The primary item.
  private(set) var primary = 0
  private(set) var types: [Int: String] = [:]
  private var references: [String: References] = [:]
  private var properties: [Box] = []
  /// One-based property indices of each item, in the order in which they apply.
  private var associations: [Int: [Int]] = [:]
  private let format: ImageFormat
  private var parts: HeaderParts

  /// - Throws: `ImageDecodingError.unsupportedFeature` if the table has far more entries than any image.
  init(_ metadata: Bytes, _ format: ImageFormat) throws(ImageDecodingError) {
    (self.format, parts) = (format, HeaderParts(format))
    for box in Box.boxes(in: metadata, from: 4) {
      try parts.add()
      let wide = (box.content[0] ?? 0) != 0
      switch box.type {
      case "pitm": primary = (wide ? box.content.unsigned32(at: 4) : box.content.unsigned16(at: 4)) ?? 0
      case "iinf": try readTypes(box.content, from: wide ? 8 : 6)
      case "iref": try readReferences(box.content, isWide: wide)
      case "iprp": try readProperties(box.content)
      default: break
      }
    }
  }

  func references(_ type: String) -> References { references[type] ?? References() }

  /// The properties of an item, each once, in the order in which they apply.
  func properties(of item: Int) -> [Box] {
    (associations[item] ?? []).compactMap { properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil }
  }

  /// The content of a property of an item.
  func property(_ type: String, of item: Int) -> Bytes? {
    properties(of: item).first { $0.type == type }?.content
  }

  /// The input images of a derived image, such as the tiles of a grid.
  func inputs(of item: Int) -> [Int] { references("dimg")[item] }

  /// The auxiliary images of items, such as alpha.
  func auxiliaries(of items: Set<Int>) -> [Int] {
    let auxiliaries = references("auxl")
    return auxiliaries.sources.filter { !items.isDisjoint(with: auxiliaries[$0]) }
  }

  /// The type of an auxiliary image (``AuxiliaryType``); empty if it states none.
  func auxiliaryType(of item: Int) -> String { property("auxC", of: item).map(AuxiliaryType.name) ?? "" }

  /// The items that the primary image is made of: itself, the inputs of derived images, and alpha.
  var imageItems: Set<Int> {
    // Data may also be taken from other items (ISO/IEC 14496-12, 8.11.3).
    let (images, data) = (references("dimg"), references("iloc"))
    var items: Set<Int> = []
    func add(_ item: Int) {
      var waiting = [item]
      while let item = waiting.popLast() {
        if items.insert(item).inserted { waiting += images[item] + data[item] }
      }
    }
    add(primary)
    for auxiliary in auxiliaries(of: items) where AuxiliaryType.alpha.contains(auxiliaryType(of: auxiliary)) {
      add(auxiliary)
    }
    return items
  }

  /// The gain map of the primary image, and the item that has its parameters; an image of Apple's has none (ISO 21496-1, and
  /// ISO/IEC 23008-12:2025, 6.6.2.5).
  var gainMap: (image: Int, parameters: Int?)? {
    for item in types.filter({ $0.value == "tmap" }).keys.sorted() {
      let inputs = inputs(of: item)
      if inputs.count == 2, inputs[0] == primary { return (inputs[1], item) }
    }
    let image = auxiliaries(of: [primary]).first { AuxiliaryType.gainMap.contains(auxiliaryType(of: $0)) }
    return image.map { ($0, nil) }
  }

  /// A copy of a file with another primary item, for codecs that decode no other; `nil` if the file states none.
  static func file(_ file: UnsafeRawBufferPointer, withPrimary item: Int) -> Data? {
    guard let base = file.baseAddress, let box = Bytes(file).box("meta")?.box("pitm", from: 4), let version = box[0],
      let start = box.buffer.baseAddress, box.count >= (version == 0 ? 6 : 8)
    else { return nil }
    var copy = Data(file)
    let (position, width) = (start - base + 4, version == 0 ? 2 : 4)
    copy.replaceSubrange(position..<position + width, with: Data(bigEndian: item, count: width))
    return copy
  }

  private mutating func readTypes(_ content: Bytes, from offset: Int) throws(ImageDecodingError) {
    for entry in Box.boxes(in: content, from: offset) {
      try parts.add()
      let isWide = (entry.content[0] ?? 0) >= 3
      let identifier = isWide ? entry.content.unsigned32(at: 4) : entry.content.unsigned16(at: 4)
      guard entry.type == "infe", let identifier, let type = entry.content.text(at: isWide ? 10 : 8, count: 4) else {
        continue
      }
      types[identifier] = type
    }
    guard types.count <= Self.itemLimit else {
      throw .unsupportedFeature(format, feature: "over \(Self.itemLimit) items")
    }
  }

  private mutating func readReferences(_ content: Bytes, isWide: Bool) throws(ImageDecodingError) {
    let width = isWide ? 4 : 2
    for box in Box.boxes(in: content, from: 4) {
      try parts.add()
      func identifier(_ offset: Int) -> Int? {
        isWide ? box.content.unsigned32(at: offset) : box.content.unsigned16(at: offset)
      }
      guard let source = identifier(0), let count = box.content.unsigned16(at: width),
        // The inputs of a derived image are one list.
        box.type != "dimg" || inputs(of: source).isEmpty
      else { continue }
      for index in 0..<count {
        guard let target = identifier(width + 2 + index * width) else { break }
        try parts.add()
        references[box.type, default: References()].add(target, to: source)
      }
    }
  }

  private mutating func readProperties(_ content: Bytes) throws(ImageDecodingError) {
    var seen: Set<Association> = []
    for box in Box.boxes(in: content) {
      try parts.add()
      if box.type == "ipma" { try readAssociations(box.content, &seen) }
      guard box.type == "ipco" else { continue }
      properties = []
      for property in Box.boxes(in: box.content) {
        try parts.add()
        properties.append(property)
      }
    }
  }

  /// - Parameter seen: The associations so far, as a property applies once to an item.
  private mutating func readAssociations(
    _ content: Bytes, _ seen: inout Set<Association>
  ) throws(ImageDecodingError) {
    guard let version = content[0], let flags = content[3], let count = content.unsigned32(at: 4) else { return }
    var offset = 8
    for _ in 0..<count {
      try parts.add()
      let identifier = version == 0 ? content.unsigned16(at: offset) : content.unsigned32(at: offset)
      offset += version == 0 ? 2 : 4
      guard let identifier, let associationCount = content[offset] else { return }
      offset += 1
      for _ in 0..<associationCount {
        try parts.add()
        let isWide = flags & 1 == 1
        let index = isWide ? content.unsigned16(at: offset).map { $0 & 0x7FFF } : content[offset].map { Int($0 & 0x7F) }
        guard let index else { return }
        offset += isWide ? 2 : 1
        guard seen.insert(Association(item: identifier, property: index)).inserted else { continue }
        associations[identifier, default: []].append(index)
        guard associations[identifier, default: []].count <= Self.propertyLimit else {
          throw .unsupportedFeature(format, feature: "an item with over \(Self.propertyLimit) properties")
        }
      }
    }
  }
}
