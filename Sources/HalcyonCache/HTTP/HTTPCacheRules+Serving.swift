public import HalcyonHTTP
public import Foundation

extension HTTPCacheRules {
  /// The fields that a stored answer is served with to another program: its own, its `Age`, and a `Date` where its
  /// server sent none (RFC 9111, 4; RFC 9110, 6.6.1).
  public func servedHeaders(of stored: EntryMetadata, at now: Date) -> HTTPHeaders {
    var headers = stored.headers
    headers["Date"] = headers["Date"] ?? HTTPDate.text(stored.responseDate)
    headers["Age"] = String(Int(min(age(of: stored, at: now) ?? 0, Double(1 << 31))))
    return headers
  }
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
