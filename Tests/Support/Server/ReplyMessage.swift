import Foundation

/// The bytes of a reply, and the offsets of its parts.
struct ReplyMessage {
  private(set) var bytes: Data
  private let headCount: Int
  /// The range of each run of body bytes: one for the whole body, or one for each chunk.
  private var runs: [(bodyStart: Int, range: Range<Int>)] = []

  init(_ reply: Reply, method: String) {
    bytes = Self.head(of: reply)
    headCount = bytes.count
    guard method != "HEAD", !reply.isBodyless else { return }
    if case .chunked(let sizes) = reply.framing {
      appendChunks(of: reply.body, sizes: sizes)
    } else {
      appendRun(reply.body, bodyStart: 0)
    }
  }

  func offset(of position: Reply.Position) -> Int {
    switch position {
    case .head(let count): min(count, headCount)
    case .body(0): headCount
    case .body(let count): bodyOffset(count)
    case .end: bytes.count
    }
  }

  private func bodyOffset(_ count: Int) -> Int {
    guard let run = runs.first(where: { count <= $0.bodyStart + $0.range.count }) else { return bytes.count }
    return run.range.lowerBound + count - run.bodyStart
  }

  private mutating func appendRun(_ body: Data, bodyStart: Int) {
    runs.append((bodyStart, bytes.count..<bytes.count + body.count))
    bytes.append(body)
  }

  private mutating func appendChunks(of body: Data, sizes: [Int]) {
    var sizes = sizes[...]
    var start = 0
    while start < body.count {
      let size = min(sizes.count > 1 ? sizes.removeFirst() : sizes[sizes.startIndex], body.count - start)
      bytes.append(Data("\(String(size, radix: 16))\r\n".utf8))
      appendRun(body.dropFirst(start).prefix(size), bodyStart: start)
      bytes.append(Data("\r\n".utf8))
      start += size
    }
    bytes.append(Data("0\r\n\r\n".utf8))
  }

  private static func head(of reply: Reply) -> Data {
    var headers = reply.headers
    var version = "HTTP/1.1"
    switch reply.framing {
    case .raw: return Data()
    case .closeDelimited: version = "HTTP/1.0"
    case .chunked: headers.addIfMissing("Transfer-Encoding", "chunked")
    case .contentLength where reply.isBodyless: break
    case .contentLength: headers.addIfMissing("Content-Length", "\(reply.body.count)")
    }
    let start = "\(version) \(reply.status) \(reasons[reply.status, default: "Status"])\r\n"
    return Data((start + headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)
  }

  private static let reasons = [
    200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 416: "Range Not Satisfiable", 429: "Too Many Requests", 500: "Internal Server Error",
    503: "Service Unavailable",
  ]
}

extension Reply {
  fileprivate var isBodyless: Bool {
    status == 204 || status == 304
  }
}

extension HeaderFields {
  fileprivate mutating func addIfMissing(_ name: String, _ value: String) {
    if self[name] == nil { add(name, value) }
  }
}
