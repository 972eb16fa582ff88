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
    for name in Set(notModified.fields.map { $0.name.lowercased() }) where !Self.bodyFields.contains(name) {
      renewed.headers[name] = notModified[name]
    }
    renewed.requestDate = requestDate
    renewed.responseDate = responseDate
    return renewed
  }

  /// Fields that belong to one message or to the bytes of a body, and stay as they are.
  private static let bodyFields: Set<String> = [
    "content-length", "content-encoding", "content-type", "content-range", "connection", "keep-alive",
    "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "set-cookie",
    "set-cookie2",
  ]
}

/// What tells the variants of an answer apart: the values that a request had in the fields that `Vary` lists
/// (RFC 9111, 4.1).
public struct VariantKey: Hashable, Sendable {
  /// The names in lower case and the values, in the order of the names.
  public let fields: [HTTPHeaders.Field]

  /// `nil` when the answer says that it fits no other request (`Vary: *`).
  public init?(of answer: HTTPHeaders, requestHeaders: HTTPHeaders) {
    let names = Set(
      (answer["Vary"] ?? "").split(separator: ",").map { name in
        name.filter { !$0.isWhitespace }.lowercased()
      })
    guard !names.contains("*") else { return nil }
    fields = names.filter { !$0.isEmpty }.sorted().map { name in
      HTTPHeaders.Field(name: name, value: Self.normalized(requestHeaders[name] ?? ""))
    }
  }

  /// Whether a request has the same values.
  public func matches(_ requestHeaders: HTTPHeaders) -> Bool {
    fields.allSatisfy { Self.normalized(requestHeaders[$0.name] ?? "") == $0.value }
  }

  /// White space around commas and in a row tells nothing.
  private static func normalized(_ value: String) -> String {
    value.split(separator: ",").map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      .joined(separator: ",")
  }
}
