import Foundation

/// The texts of an XML document of a storage: a list, or an error.
///
/// Reads elements, text and entities in one pass, which is all that a storage sends. The rest after a syntax error is
/// left out.
struct S3Document {
  /// The text of an element without others in it, and the names that lead to it, such as `ListBucketResult/Contents/Key`.
  struct Leaf: Equatable {
    var path: String
    var text: String
  }

  private static let depthLimit = 8

  private(set) var leaves: [Leaf] = []
  /// Whether the document was read to the end of its first element, after which there is only white space.
  private(set) var isComplete = false

  init(_ data: Data) {
    let bytes = [UInt8](data)
    var names: [String] = []
    var (position, textStart) = (0, 0)
    var isLeaf = false
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      guard !isComplete, let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")) else {
        isComplete = false
        return
      }
      position = end + 1
      let tag = bytes[(start + 1)..<end]
      let isEnd = tag.first == UInt8(ascii: "/")
      let name = String(
        decoding: tag.dropFirst(isEnd ? 1 : 0).prefix { $0 > 32 && $0 != UInt8(ascii: "/") }, as: UTF8.self)
      if tag.first == UInt8(ascii: "?"), names.isEmpty { continue }
      if isEnd {
        guard names.last == name else { return }
        if isLeaf {
          guard let text = Self.text(bytes[textStart..<start]) else { return }
          leaves.append(Leaf(path: names.joined(separator: "/"), text: text))
        }
        names.removeLast()
        (isLeaf, isComplete) = (false, names.isEmpty)
      } else if tag.last == UInt8(ascii: "/") {
        guard !names.isEmpty else { return }
        isLeaf = false
      } else {
        guard names.count < Self.depthLimit, tag.first != UInt8(ascii: "!") else { return }
        names.append(name)
        (isLeaf, textStart) = (true, position)
      }
    }
    if !bytes[position...].allSatisfy({ $0 <= 32 }) { isComplete = false }
  }

  /// The texts of all elements with a path.
  func texts(_ path: String) -> [String] { leaves.filter { $0.path == path }.map(\.text) }

  /// A text with its entities decoded; `nil` if one is unknown.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    var (text, rest) = ([UInt8](), bytes)
    while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
      let content = rest[(start + 1)...].prefix(10)
      guard let end = content.firstIndex(of: UInt8(ascii: ";")),
        let character = character(String(decoding: content[..<end], as: UTF8.self))
      else { return nil }
      text += rest[..<start]
      text += Array(String(character).utf8)
      rest = rest[(end + 1)...]
    }
    return String(decoding: text + rest, as: UTF8.self)
  }

  private static func character(_ entity: String) -> Unicode.Scalar? {
    let named: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    if let scalar = named[entity] { return scalar }
    let isHexadecimal = entity.utf8.starts(with: "#x".utf8)
    guard isHexadecimal || entity.utf8.starts(with: "#".utf8) else { return nil }
    return UInt32(entity.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
  }
}

/// A part of the list of a bucket's keys.
struct S3List: Equatable {
  var names: [String]
  /// The token of the next part; `nil` for the last one.
  var nextToken: String?

  init(names: [String], nextToken: String?) { (self.names, self.nextToken) = (names, nextToken) }
}

extension S3List {
  /// `nil` unless the list is complete, and says without contradiction whether another part follows.
  init?(_ data: Data) {
    let document = S3Document(data)
    let isTruncated = document.texts("ListBucketResult/IsTruncated")
    let tokens = document.texts("ListBucketResult/NextContinuationToken").filter { !$0.isEmpty }
    switch (isTruncated, tokens.count) {
    case (["true"], 1), (["false"], 0): break
    default: return nil
    }
    guard document.isComplete else { return nil }
    self.init(names: document.texts("ListBucketResult/Contents/Key"), nextToken: tokens.first)
  }
}
