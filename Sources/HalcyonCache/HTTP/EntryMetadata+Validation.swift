package import HalcyonHTTP
package import Foundation

/// Validation of stored responses (RFC 9110, 13; RFC 9111, 4.3).
extension EntryMetadata {
  /// The header fields that make a request conditional on this response; empty if it has no validator.
  package var validators: HTTPHeaders {
    var fields = HTTPHeaders()
    fields["If-None-Match"] = headers["ETag"]
    fields["If-Modified-Since"] = headers["Last-Modified"]
    return fields
  }

  /// The metadata updated with the fields of a 304, or `nil` if the 304 is for another representation: its entity tag
  /// is strong and differs.
  ///
  /// Tags are compared without what servers add to the tag of a compressed response only, and not of its 304: `W/` (nginx;
  /// RFC 9110, 8.8.3.2) or a suffix (Apache). The stored tag remains.
  package func refreshed(by notModified: HTTPHeaders, requestDate: Date, responseDate: Date) -> EntryMetadata? {
    if let theirs = notModified["ETag"], !theirs.utf8.starts(with: "W/".utf8), let ours = headers["ETag"],
      Self.uncompressedTag(theirs) != Self.uncompressedTag(ours)
    {
      return nil
    }
    var renewed = self
    let notModified = notModified.endToEnd
    for name in Set(notModified.fields.map { $0.name.lowercased() }) where !Self.fixedFields.contains(name) {
      renewed.headers[name] = notModified[name]
    }
    renewed.requestDate = requestDate
    renewed.responseDate = responseDate
    return renewed
  }

  /// What servers append to the tags of compressed responses.
  private static let codingSuffixes = ["--gzip", "-gzip", ";gzip", "-br", "-df", "-deflate", "-zstd"].map {
    Array($0.utf8)
  }

  /// An entity tag without its weakness and without the coding that its end names.
  private static func uncompressedTag(_ tag: String) -> [UInt8] {
    let opaque = opaqueTag(tag.utf8[...])
    let quote = UInt8(ascii: "\"")
    guard opaque.last == quote else { return opaque }
    let suffix = codingSuffixes.first { opaque.dropLast().reversed().starts(with: $0.reversed()) }
    return suffix.map { opaque.dropLast($0.count + 1) + [quote] } ?? opaque
  }

  /// Fields that a 304 does not update, because they describe the stored body or belong to one user.
  private static let fixedFields: Set<String> = [
    "content-length", "content-encoding", "content-type", "content-range", "etag", "set-cookie", "set-cookie2",
  ]
}

extension EntryMetadata {
  /// Whether the conditions of a request, `If-None-Match` or `If-Modified-Since`, make a 304 the response to it
  /// (RFC 9110, 13.1.2 and 13.1.3).
  package func isNotModified(for requestHeaders: HTTPHeaders) -> Bool {
    if let tags = requestHeaders["If-None-Match"] {
      if tags.trimmingCharacters(in: .whitespaces) == "*" { return true }
      guard let tag = headers["ETag"] else { return false }
      return Self.entityTags(tags).contains(Self.opaqueTag(tag.utf8[...]))
    }
    guard let since = date(in: requestHeaders["If-Modified-Since"]) else { return false }
    let changed = date(in: headers["Last-Modified"]) ?? date(in: headers["Date"]) ?? responseDate
    return changed <= since
  }

  private func date(in field: String?) -> Date? {
    field.flatMap { HTTPDate.parse($0, now: responseDate) }
  }

  /// The entity tags of a list without their weakness prefixes. Tags may contain commas.
  private static func entityTags(_ list: String) -> [[UInt8]] {
    var isQuoted = false
    let tags = list.utf8.split { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
    return tags.map { opaqueTag($0) }
  }

  private static func opaqueTag(_ tag: Substring.UTF8View) -> [UInt8] {
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    var trimmed = tag.drop(while: isBlank)
    while trimmed.last.map(isBlank) == true { trimmed.removeLast() }
    return Array(trimmed.starts(with: "W/".utf8) ? trimmed.dropFirst(2) : trimmed)
  }
}
