import Foundation

/// The path of a request for the log: on one line, and without what gives access to anything.
///
/// Left out are the user, the password and the query of the source, also of one in Base64, and the signature where one is
/// required, since anyone who reads the log could repeat the request.
struct LoggedPath {
  private static let limit = 2048
  /// Stands for what is left out.
  private static let omission = "…"

  private let prefix: String
  private let healthPath: String
  private let hidesSignature: Bool
  private let hasPresetsOnly: Bool
  private let hasFilename: Bool

  init(_ configuration: ServiceConfiguration) {
    (prefix, healthPath) = (configuration.pathPrefix, configuration.healthPath)
    hidesSignature = !configuration.isInsecure
    (hasPresetsOnly, hasFilename) = (configuration.acceptsPresetsOnly, configuration.hasFilenamesInBase64)
  }

  /// The text of a path.
  func text(_ path: String) -> String {
    guard path != healthPath else { return path }
    let prefixes = ["/info", "/cache"].map { prefix + $0 } + [prefix]
    let start = prefixes.first { path.utf8.starts(with: ($0 + "/").utf8) } ?? ""
    let rest = String(Substring(path.utf8.dropFirst(start.utf8.count)))
    guard !start.hasSuffix("/cache") else { return (start + Self.redactingPlain(rest)).printable(limit: Self.limit) }
    guard let (signature, part) = ImagePath.signature(in: rest) else { return path.printable(limit: Self.limit) }
    let shown = hidesSignature ? Self.omission : signature
    return "\(start)/\(shown)\(redacting(part))".printable(limit: Self.limit)
  }

  /// A text for the log, such as the description of an error, without the user, the password and the query of any URL in it.
  static func redacting(text: String) -> String {
    guard text.utf8.firstRange(of: "://".utf8) != nil else { return text }
    let words = text.parts(between: " ")
    return words.map { $0.utf8.firstRange(of: "://".utf8) == nil ? $0 : redacting(source: $0) }.joined(separator: " ")
  }

  private func redacting(_ part: String) -> String {
    let plain = Self.redactingPlain(part)
    guard plain.utf8.firstRange(of: "/plain/".utf8) == nil,
      let path = try? ImagePath("/_" + part, hasPresetsOnly: hasPresetsOnly, hasFilename: hasFilename)
    else { return plain }
    let source = Self.redacting(source: path.source)
    guard source != path.source else { return part }
    return (path.options + ["plain", source]).reduce("") { $0 + "/" + $1 }
  }

  private static func redactingPlain(_ part: String) -> String {
    guard let plain = part.utf8.firstRange(of: "/plain/".utf8) else { return part }
    return part[..<plain.upperBound] + redacting(source: String(part[plain.upperBound...]))
  }

  /// A URL, which may be percent-encoded, without what its user, its password and its query are.
  static func redacting(source: String) -> String {
    let bytes = DecodedBytes(source)
    var start = source.bytes(afterPrefix: "local") == nil ? bytes.firstIndex { $0 == UInt8(ascii: ":") } : nil
    if let colon = start, colon + 1 < bytes.count, bytes[colon + 1] == UInt8(ascii: "/") {
      start = bytes.dropFirst(colon + 1).firstIndex { $0 != UInt8(ascii: "/") }
    } else {
      // A source after the start of a URL that the configuration has.
      start = start == nil ? nil : bytes.startIndex
    }
    var text = ""
    var rest = bytes.startIndex
    if let start {
      let end = bytes[start...].firstIndex { "/?#\\".utf8.contains($0) } ?? bytes.endIndex
      if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) {
        text = bytes.text(rest..<start) + omission
        rest = at
      }
    }
    guard let query = bytes[rest...].firstIndex(of: UInt8(ascii: "?")) else {
      return text + bytes.text(rest..<bytes.endIndex)
    }
    return text + bytes.text(rest..<query + 1) + omission
  }
}

/// The bytes of a text, with those that are percent-encoded decoded.
private struct DecodedBytes: RandomAccessCollection {
  private let bytes: [UInt8]
  private let decoded: [UInt8]
  /// Where each decoded byte begins, and the end.
  private let places: [Int]

  init(_ text: String) {
    bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var places: [Int] = []
    var place = 0
    while place < bytes.count {
      places.append(place)
      if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[(place + 1)...(place + 2)], as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        place += 3
      } else {
        decoded.append(bytes[place])
        place += 1
      }
    }
    (self.decoded, self.places) = (decoded, places + [place])
  }

  var startIndex: Int { 0 }
  var endIndex: Int { decoded.count }

  subscript(index: Int) -> UInt8 { decoded[index] }

  /// The text of a range, as it was.
  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[places[range.lowerBound]..<places[range.upperBound]], as: UTF8.self)
  }
}
