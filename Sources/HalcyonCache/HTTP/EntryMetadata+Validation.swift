public import HalcyonHTTP
public import Foundation

/// Asking whether a stored answer is still right (RFC 9110, 13; RFC 9111, 4.3).
extension EntryMetadata {
  /// The fields that turn a request into the question whether this answer still holds; none when it has no validator.
  public var validators: HTTPHeaders {
    var fields = HTTPHeaders()
    fields["If-None-Match"] = headers["ETag"]
    fields["If-Modified-Since"] = headers["Last-Modified"]
    return fields
  }

  /// This answer renewed by a 304, or `nil` when the 304 is about another one and must not be used.
  public func refreshed(by notModified: HTTPHeaders, requestDate: Date, responseDate: Date) -> EntryMetadata? {
    if let theirs = notModified["ETag"], !theirs.hasPrefix("W/"), theirs != headers["ETag"] { return nil }
    var renewed = self
    let notModified = notModified.endToEnd
    for name in Set(notModified.fields.map { $0.name.lowercased() }) where !Self.bodyFields.contains(name) {
      renewed.headers[name] = notModified[name]
    }
    renewed.requestDate = requestDate
    renewed.responseDate = responseDate
    return renewed
  }

  /// Fields that belong to the bytes of a body or to one user, and stay as they are.
  private static let bodyFields: Set<String> = [
    "content-length", "content-encoding", "content-type", "content-range", "set-cookie", "set-cookie2",
  ]
}

extension EntryMetadata {
  /// Whether a request tells by validators of its own that its sender has this answer already and needs only a 304
  /// (RFC 9110, 13.1.2 and 13.1.3).
  public func isNotModified(for requestHeaders: HTTPHeaders) -> Bool {
    if let tags = requestHeaders["If-None-Match"] {
      if tags.trimmingCharacters(in: .whitespaces) == "*" { return true }
      guard let tag = headers["ETag"] else { return false }
      return Self.entityTags(tags).contains(Self.opaque(tag[...]))
    }
    guard let since = date(in: requestHeaders["If-Modified-Since"]) else { return false }
    let changed = date(in: headers["Last-Modified"]) ?? date(in: headers["Date"]) ?? responseDate
    return changed <= since
  }

  private func date(in field: String?) -> Date? {
    field.flatMap { HTTPDate.parse($0, now: responseDate) }
  }

  /// The tags of a list, without what tells weak ones from strong ones. Tags may have commas in them.
  private static func entityTags(_ list: String) -> Set<Substring> {
    var isQuoted = false
    let tags = list.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
    return Set(tags.map { opaque($0) })
  }

  private static func opaque(_ tag: Substring) -> Substring {
    let trimmed = tag.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
    return trimmed.hasPrefix("W/") ? trimmed.dropFirst(2) : trimmed
  }
}
