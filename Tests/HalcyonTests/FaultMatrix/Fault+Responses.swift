import Foundation
import Halcyon
import HalcyonTestSupport

extension Fault {
  /// Response heads that are not valid HTTP, or exceed a limit.
  static let heads: [Fault] = [
    Fault(
      "one large header", "transport.headersTooLarge",
      reply: .body(Data()).padded(headerCount: 1, valueByteCount: 110_000)),
    Fault(
      "one huge header", "transport.headersTooLarge",
      reply: .body(Data()).padded(headerCount: 1, valueByteCount: 300_000)),
    Fault(
      "many small headers", "transport.headersTooLarge",
      reply: .body(Data()).padded(headerCount: 4000, valueByteCount: 100)),
    Fault(
      "endless interim responses", "transport.headersTooLarge",
      head: Array(
        repeating: "HTTP/1.1 103 Early Hints\r\nLink: </\(String(repeating: "a", count: 200))>\r\n", count: 2000)),
    Fault("HTTP/0.9", "transport.malformedResponse", reply: .raw(Photos.rocket)),
    Fault("another protocol", "transport.malformedResponse", head: ["SSH-2.0-OpenSSH_9.2"]),
    Fault("a status that is not a number", "transport.malformedResponse", head: ["HTTP/1.1 abc"]),
    Fault("a header without a colon", "transport.malformedResponse", head: ["HTTP/1.1 200 OK", "no colon"]),
    Fault("a NUL byte in a header", "transport.malformedResponse", head: ["HTTP/1.1 200 OK", "A: b\u{0}c"]),
    Fault(
      "conflicting Content-Lengths", "transport.malformedResponse",
      head: ["HTTP/1.1 200 OK", "Content-Length: 100", "Content-Length: 200"]),
    Fault(
      "a Content-Length over the byte limit", "responseTooLarge",
      head: ["HTTP/1.1 200 OK", "Content-Length: 99999999999"]),
  ]

  /// Bodies that do not match their headers.
  static let bodies: [Fault] = [
    Fault(
      "fewer bytes than Content-Length", "transport.connectionLost",
      head: ["HTTP/1.1 200 OK", "Content-Length: \(Photos.rocket.count + 10)"]),
    Fault(
      "more bytes than Content-Length", "decoding",
      head: ["HTTP/1.1 200 OK", "Content-Length: \(Photos.rocket.count / 2)", "Connection: close"]),
    Fault(
      "a chunk without a size", "transport.malformedResponse",
      head: ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"], body: Data("zz\r\n".utf8) + Photos.rocket),
    Fault(
      "an overflowing chunk size", "transport.malformedResponse",
      head: ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"], body: Data("FFFFFFFFFFFFFFFFFF\r\n".utf8) + Photos.rocket
    ),
    Fault(
      "a missing last chunk", "transport.connectionLost",
      reply: .body(Photos.rocket).chunked(1000).cut(at: .body(Photos.rocket.count))),
    Fault(
      "gzip interrupted by a lost connection", "transport.connectionLost",
      reply: .gzip(Photos.rocket.gzipped).cut(at: .body(50_000))),
    Fault("truncated gzip", "decoding", reply: .gzip(Photos.rocket.gzipped.prefix(50_000))),
    Fault("a gzip encoding of uncompressed data", "transport.badContentEncoding", reply: .gzip(Photos.rocket)),
    Fault("gzip with a corrupt byte", "transport.badContentEncoding", reply: .gzip(Photos.rocket.gzipped.damaged)),
    Fault(
      "a gzip bomb", "responseTooLarge", reply: .gzip((Photos.rocket + Data(count: 100 << 20)).gzipped)),
    Fault(
      "an unknown content encoding", "transport.badContentEncoding",
      reply: .body(Photos.rocket, headers: ["Content-Encoding": "br"])),
    Fault("an empty body", "emptyResponse", reply: .body(Data())),
    Fault("a head without its body", "transport.connectionLost", reply: .body(Photos.rocket).cut(at: .body(0))),
  ]

  /// Responses that are not images.
  static let responses: [Fault] = [
    Fault("304 without a stored body", "httpStatus", reply: .status(304)),
    Fault("206 of a range that was not asked for", "notAnImage", reply: .partial(Photos.rocket.dropFirst(1000))),
    Fault("204", "emptyResponse", reply: .status(204)),
    Fault("a redirect loop", "tooManyRedirects", reply: .redirect(to: "/a.jpg")),
    Fault("a redirect to a file", "redirectRejected", reply: .redirect(to: "file:///etc/passwd")),
    Fault("a redirect to a data URL", "redirectRejected", reply: .redirect(to: "data:image/png;base64,AAAA")),
    Fault("a redirect without a Location", "httpStatus", reply: .status(302)),
    Fault("a redirect to an invalid URL", "redirectRejected", reply: .redirect(to: "http://[::1")),
  ]
}

extension Reply {
  static func gzip(_ body: Data) -> Reply { .body(body, headers: ["Content-Encoding": "gzip"]) }

  static func partial(_ body: Data) -> Reply {
    let start = Photos.rocket.count - body.count
    let range = "bytes \(start)-\(Photos.rocket.count - 1)/\(Photos.rocket.count)"
    return .status(206, headers: ["Content-Range": range], body: Data(body))
  }
}

extension Data {
  /// A copy with the middle byte changed.
  var damaged: Data {
    var copy = Data(self)
    copy[copy.count / 2] ^= 0xff
    return copy
  }
}
