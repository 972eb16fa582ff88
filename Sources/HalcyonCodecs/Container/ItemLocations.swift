/// Where the data of the items of a HEIF file is (`iloc` and `idat`; ISO/IEC 14496-12, 8.11.3 and 8.11.11).
struct ItemLocations {
  private static let extentLimit = 100_000

  private let file: Bytes
  /// The content of the `idat` box in the `meta` box.
  private let inner: Bytes
  private var extents: [Int: [Bytes]] = [:]
  /// The items without a valid place in the file.
  private var damagedItems: Set<Int> = []
  /// The items that the end of the file cuts off.
  private(set) var cutItems: Set<Int> = []

  init(_ file: Bytes, _ metadata: Bytes) {
    self.file = file
    inner = metadata.box("idat", from: 4) ?? file[0..<0]
    if let table = metadata.box("iloc", from: 4) { read(table) }
  }

  /// The parts of an item in their order; `nil` if the file does not contain all of it.
  func data(of item: Int) -> [Bytes]? { damagedItems.contains(item) ? nil : extents[item] }

  /// Reads the items in the file itself. Only a file that was made to be slow has very many extents.
  private mutating func read(_ table: Bytes) {
    guard let version = table[0], version <= 2, let sizes = table.unsigned16(at: 4) else { return }
    let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    let indexSize = version == 0 ? 0 : sizes & 15
    var cursor = Cursor(bytes: table, offset: 6)
    guard let count = cursor.read(version < 2 ? 2 : 4) else { return }
    var extentLimit = Self.extentLimit
    for _ in 0..<count {
      guard let item = cursor.read(version < 2 ? 2 : 4), let method = version == 0 ? 0 : cursor.read(2),
        let reference = cursor.read(2), let base = cursor.read(baseSize), let extentCount = cursor.read(2)
      else { return }
      let container = reference != 0 ? nil : method & 15 == 0 ? file : method & 15 == 1 ? inner : nil
      // Longer data of an item repeats parts of the file, perhaps thousands of times.
      var byteLimit = container?.count ?? 0
      let isKnown = extents[item] != nil
      for _ in 0..<extentCount {
        extentLimit -= 1
        guard extentLimit > 0, cursor.read(indexSize) != nil, let offset = cursor.read(offsetSize),
          let length = cursor.read(lengthSize)
        else {
          damagedItems.insert(item)
          return
        }
        guard let container, base <= container.count, offset <= container.count, length <= container.count,
          base + offset + length <= container.count
        else {
          damagedItems.insert(item)
          if reference == 0, method & 15 == 0 { cutItems.insert(item) }
          continue
        }
        let start = base + offset
        let part = container[start..<(length == 0 ? container.count : start + length)]
        byteLimit -= part.count
        if byteLimit < 0 { damagedItems.insert(item) }
        if byteLimit >= 0, !isKnown { extents[item, default: []].append(part) }
      }
    }
  }

  /// Reads integers of the sizes that the table states.
  private struct Cursor {
    let bytes: Bytes
    var offset: Int

    /// A number of 0, 2, 4 or 8 bytes; 0 if it has no bytes.
    mutating func read(_ byteCount: Int) -> Int? {
      defer { offset += byteCount }
      switch byteCount {
      case 0: return 0
      case 2: return bytes.unsigned16(at: offset)
      case 4: return bytes.unsigned32(at: offset)
      case 8: return bytes.unsigned64(at: offset)
      default: return nil
      }
    }
  }
}
