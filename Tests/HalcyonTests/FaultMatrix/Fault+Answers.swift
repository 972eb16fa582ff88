import Foundation
import Halcyon
import TestSupport

extension Fault {
  /// Heads that are no heads of HTTP, or not ones to be trusted.
  static let heads: [Fault] = [
    Fault(
      "one large field", "transport.headersTooLarge",
      reply: .body(Data()).padded(headerCount: 1, valueByteCount: 70_000)),
    Fault(
      "one huge field", "transport.headersTooLarge",
      reply: .body(Data()).padded(headerCount: 1, valueByteCount: 300_000)),
    Fault(
      "many small fields", "transport.headersTooLarge",
      reply: .body(Data()).padded(headerCount: 2000, valueByteCount: 20)),
    Fault(
      "interim answers without end", "transport.headersTooLarge",
      head: Array(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n", count: 2000)),
    Fault("HTTP/0.9", "transport.malformedResponse", reply: .raw(Photos.rocket)),
    Fault("another protocol", "transport.malformedResponse", head: ["SSH-2.0-OpenSSH_9.2"]),
    Fault("a status that is no number", "transport.malformedResponse", head: ["HTTP/1.1 abc"]),
    Fault("a field without a colon", "transport.malformedResponse", head: ["HTTP/1.1 200 OK", "no colon"]),
    Fault("a zero byte in a field", "transport.malformedResponse", head: ["HTTP/1.1 200 OK", "A: b\u{0}c"]),
    Fault(
      "two lengths", "transport.malformedResponse",
      head: ["HTTP/1.1 200 OK", "Content-Length: 100", "Content-Length: 200"]),
    Fault(
      "a length that is no number", "transport.malformedResponse", head: ["HTTP/1.1 200 OK", "Content-Length: many"]),
    Fault("a negative length", "transport.malformedResponse", head: ["HTTP/1.1 200 OK", "Content-Length: -1"]),
    Fault("a length and more", "transport.malformedResponse", head: ["HTTP/1.1 200 OK", "Content-Length: 100 bytes"]),
    Fault(
      "an enormous length", "transport.malformedResponse",
      head: ["HTTP/1.1 200 OK", "Content-Length: 99999999999999999999"]),
    Fault("a length over the limit", "responseTooLarge", head: ["HTTP/1.1 200 OK", "Content-Length: 99999999999"]),
  ]

  /// Bodies that are not what the head says.
  static let bodies: [Fault] = [
    Fault(
      "fewer bytes than announced", "transport.connectionLost",
      head: ["HTTP/1.1 200 OK", "Content-Length: \(Photos.rocket.count + 10)"]),
    Fault(
      "more bytes than announced", "decoding",
      head: ["HTTP/1.1 200 OK", "Content-Length: \(Photos.rocket.count / 2)", "Connection: close"]),
    Fault(
      "a chunk without a size", "transport.malformedResponse",
      head: ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"], body: Data("zz\r\n".utf8) + Photos.rocket),
    Fault(
      "a chunk of enormous size", "transport.malformedResponse",
      head: ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"], body: Data("FFFFFFFFFFFFFFFFFF\r\n".utf8) + Photos.rocket
    ),
    Fault(
      "chunks without the last", "transport.connectionLost",
      reply: .body(Photos.rocket).chunked(1000).cut(at: .body(Photos.rocket.count))),
    Fault(
      "gzip cut by the connection", "transport.connectionLost",
      reply: .gzip(Photos.rocket.gzipped).cut(at: .body(50_000))),
    Fault("gzip cut before", "decoding", reply: .gzip(Photos.rocket.gzipped.prefix(50_000))),
    Fault("gzip that is none", "transport.badContentEncoding", reply: .gzip(Photos.rocket)),
    Fault("gzip with a damaged byte", "transport.badContentEncoding", reply: .gzip(Photos.rocket.gzipped.damaged)),
    Fault(
      "a gzip bomb", "responseTooLarge", reply: .gzip((Photos.rocket + Data(count: 100 << 20)).gzipped)),
    Fault(
      "an encoding unknown to all", "transport.badContentEncoding",
      reply: .body(Photos.rocket, headers: ["Content-Encoding": "rot13"])),
    Fault("an empty body", "emptyResponse", reply: .body(Data())),
    Fault("a head alone", "transport.connectionLost", reply: .body(Photos.rocket).cut(at: .body(0))),
  ]

  /// Answers that are no images.
  static let answers: [Fault] = [
    Fault("304 without a stored body", "httpStatus", reply: .status(304)),
    Fault("206 that nobody asked for", "httpStatus", reply: .partial(Photos.rocket)),
    Fault("206 of another range", "httpStatus", reply: .partial(Photos.rocket.dropFirst(1000))),
    Fault("204", "emptyResponse", reply: .status(204)),
    Fault("redirects in a circle", "tooManyRedirects", reply: .redirect(to: "/a.jpg")),
    Fault("a redirect to a file", "redirectRefused", reply: .redirect(to: "file:///etc/passwd")),
    Fault("a redirect to data", "redirectRefused", reply: .redirect(to: "data:image/png;base64,AAAA")),
    Fault("a redirect to nothing", "httpStatus", reply: .status(302)),
    Fault("a redirect to no address", "redirectRefused", reply: .redirect(to: "http://[::1")),
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
  /// The same with one byte in the middle changed.
  var damaged: Data {
    var copy = Data(self)
    copy[copy.count / 2] ^= 0xff
    return copy
  }
}
