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
