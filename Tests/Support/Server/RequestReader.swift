import Foundation

/// An incremental parser of HTTP/1 requests, which may arrive in pieces of any size.
struct RequestReader {
  enum Outcome {
    case incomplete
    case malformed
    case request(RecordedRequest, keepsAlive: Bool)
  }

  let connectionID: Int
  private var buffer = Data()

  init(connectionID: Int) {
    self.connectionID = connectionID
  }

  mutating func append(_ bytes: Data) {
    buffer.append(bytes)
  }

  /// Removes the next request from the bytes received so far.
  mutating func next() -> Outcome {
    guard let headEnd = buffer.firstRange(of: Data("\r\n\r\n".utf8)) else { return .incomplete }
    // Latin-1 decodes any byte to one character.
    let head = String(data: buffer[..<headEnd.lowerBound], encoding: .isoLatin1) ?? ""
    let lines = head.components(separatedBy: "\r\n")
    let start = lines[0].components(separatedBy: " ")
    guard start.count == 3, let headers = Self.headers(lines.dropFirst()) else { return .malformed }
    guard let bodyCount = Int(headers["Content-Length"] ?? "0"), bodyCount >= 0 else { return .malformed }

    let bodyEnd = headEnd.upperBound + bodyCount
    guard buffer.endIndex >= bodyEnd else { return .incomplete }
    let body = Data(buffer[headEnd.upperBound..<bodyEnd])
    buffer = Data(buffer[bodyEnd...])
    let request = RecordedRequest(
      method: start[0], path: start[1], headers: headers, body: body, connectionID: connectionID)
    return .request(request, keepsAlive: Self.keepsAlive(version: start[2], headers))
  }

  private static func headers(_ lines: ArraySlice<String>) -> HeaderFields? {
    var headers = HeaderFields()
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers.add(String(line[..<colon]), value)
    }
    return headers
  }

  private static func keepsAlive(version: String, _ headers: HeaderFields) -> Bool {
    let connection = headers["Connection"]?.lowercased()
    return version == "HTTP/1.0" ? connection == "keep-alive" : connection != "close"
  }
}
