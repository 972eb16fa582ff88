import Foundation

/// The items of a HEIF file with their references and properties, from its `meta` box (ISO/IEC 23008-12, 6;
/// ISO/IEC 14496-12, 8.11).
struct ItemTable {
  struct Reference {
    let type: String
    let source: Int
    let targets: [Int]
  }

  /// The primary item.
  private(set) var primary = 0
  private(set) var types: [Int: String] = [:]
  private(set) var references: [Reference] = []
  private var properties: [Box] = []
  /// One-based property indices of each item, in the order in which they apply.
  private var associations: [Int: [Int]] = [:]

  init(_ metadata: Bytes) {
    for box in Box.boxes(in: metadata, from: 4) {
      let wide = (box.content[0] ?? 0) != 0
      switch box.type {
      case "pitm": primary = (wide ? box.content.unsigned32(at: 4) : box.content.unsigned16(at: 4)) ?? 0
      case "iinf": readTypes(box.content, from: wide ? 8 : 6)
      case "iref": readReferences(box.content, isWide: wide)
      case "iprp": readProperties(box.content)
      default: break
      }
    }
  }

  /// The properties of an item, in the order in which they apply.
  func properties(of item: Int) -> [Box] {
    (associations[item] ?? []).compactMap { properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil }
  }

  /// The content of a property of an item.
  func property(_ type: String, of item: Int) -> Bytes? {
    properties(of: item).first { $0.type == type }?.content
  }

  /// The input images of a derived image, such as the tiles of a grid.
  func inputs(of item: Int) -> [Int] {
    references.first { $0.type == "dimg" && $0.source == item }?.targets ?? []
  }

  /// The items that the primary image is made of: itself, the inputs of derived images, and alpha.
  var imageItems: Set<Int> {
    var inputs: [Int: [Int]] = [:]
    // Data may also be taken from other items (ISO/IEC 14496-12, 8.11.3).
    for reference in references where reference.type == "dimg" || reference.type == "iloc" {
      inputs[reference.source, default: []] += reference.targets
    }
    var items: Set<Int> = []
    func add(_ item: Int) {
      var waiting = [item]
      while let item = waiting.popLast() {
        if items.insert(item).inserted { waiting += inputs[item] ?? [] }
      }
    }
    add(primary)
    let image = items
    for reference in references where reference.type == "auxl" && !image.isDisjoint(with: reference.targets) {
      if !items.contains(reference.source), isAlpha(reference.source) { add(reference.source) }
    }
    return items
  }

  /// The gain map of the primary image, and the item that has its parameters; an image of Apple's has none (ISO 21496-1, and
  /// ISO/IEC 23008-12:2025, 6.6.2.5).
  var gainMap: (image: Int, parameters: Int?)? {
    for (item, type) in types.sorted(by: { $0.key < $1.key }) where type == "tmap" {
      let inputs = inputs(of: item)
      if inputs.count == 2, inputs[0] == primary { return (inputs[1], item) }
    }
    let image = references.first { reference in
      reference.type == "auxl" && reference.targets.contains(primary)
        && AuxiliaryType.gainMap.contains(property("auxC", of: reference.source).map(AuxiliaryType.name) ?? "")
    }
    return image.map { ($0.source, nil) }
  }

  /// A copy of a file with another primary item, for codecs that decode no other; `nil` if the file states none.
  static func file(_ file: UnsafeRawBufferPointer, withPrimary item: Int) -> Data? {
    guard let base = file.baseAddress, let box = Bytes(file).box("meta")?.box("pitm", from: 4), let version = box[0],
      let start = box.buffer.baseAddress, box.count >= (version == 0 ? 6 : 8)
    else { return nil }
    var copy = Data(file)
    for index in 0..<(version == 0 ? 2 : 4) {
      let shift = 8 * ((version == 0 ? 1 : 3) - index)
      copy[start - base + 4 + index] = UInt8(truncatingIfNeeded: item >> shift)
    }
    return copy
  }

  /// Whether an auxiliary image is alpha.
  func isAlpha(_ item: Int) -> Bool {
    AuxiliaryType.alpha.contains(property("auxC", of: item).map(AuxiliaryType.name) ?? "")
  }

  private mutating func readTypes(_ content: Bytes, from offset: Int) {
    for entry in Box.boxes(in: content, from: offset) where entry.type == "infe" {
      let isWide = (entry.content[0] ?? 0) >= 3
      let identifier = isWide ? entry.content.unsigned32(at: 4) : entry.content.unsigned16(at: 4)
      guard let identifier, let type = entry.content.text(at: isWide ? 10 : 8, count: 4) else { continue }
      types[identifier] = type
    }
  }

  private mutating func readReferences(_ content: Bytes, isWide: Bool) {
    let width = isWide ? 4 : 2
    for box in Box.boxes(in: content, from: 4) {
      func identifier(_ offset: Int) -> Int? {
        isWide ? box.content.unsigned32(at: offset) : box.content.unsigned16(at: offset)
      }
      guard let source = identifier(0), let count = box.content.unsigned16(at: width) else { continue }
      let targets = (0..<count).lazy.map { identifier(width + 2 + $0 * width) }.prefix { $0 != nil }
      references.append(Reference(type: box.type, source: source, targets: targets.compactMap { $0 }))
    }
  }

  private mutating func readProperties(_ content: Bytes) {
    for box in Box.boxes(in: content) {
      if box.type == "ipco" { properties = Box.boxes(in: box.content) }
      if box.type == "ipma" { readAssociations(box.content) }
    }
  }

  private mutating func readAssociations(_ content: Bytes) {
    guard let version = content[0], let flags = content[3], let count = content.unsigned32(at: 4) else { return }
    var offset = 8
    for _ in 0..<count {
      let identifier = version == 0 ? content.unsigned16(at: offset) : content.unsigned32(at: offset)
      offset += version == 0 ? 2 : 4
      guard let identifier, let associationCount = content[offset] else { return }
      offset += 1
      for _ in 0..<associationCount {
        let isWide = flags & 1 == 1
        let index = isWide ? content.unsigned16(at: offset).map { $0 & 0x7FFF } : content[offset].map { Int($0 & 0x7F) }
        guard let index else { return }
        associations[identifier, default: []].append(index)
        offset += isWide ? 2 : 1
      }
    }
  }
}
