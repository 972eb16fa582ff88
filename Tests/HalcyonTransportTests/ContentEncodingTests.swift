import Foundation
import HalcyonHTTP
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ContentEncodingTests {
  private let transport = PlatformTransport()
  private let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  private func pieces(of url: URL) async throws -> [Data] {
    let response = try await transport.response(to: TransportRequest(url: url))
    return try await response.body.reduce(into: []) { $0.append($1) }
  }

  private func load(_ url: URL) async throws -> Data { try await pieces(of: url).reduce(Data(), +) }

  private func reason(_ reply: Reply) async throws -> String {
    try await ImageServer.run { server in
      let url = server.serve("/a", reply)
      let error = await #expect(throws: TransportError.self) { try await pieces(of: url) }
      switch error {
      case .badContentEncoding(let reason), .malformedResponse(let reason): return reason
      default: return error?.description ?? "no error"
      }
    }
  }

  @Test(
    .requires(.contentDecoding),
    arguments: [
      ("gzip", Data.DeflateFormat.gzip), ("GZIP", .gzip), ("x-gzip", .gzip), ("deflate", .zlib), ("deflate", .raw),
      ("gzip", .zlib),
    ])
  func `compressed bodies are decompressed`(encoding: String, format: Data.DeflateFormat) async throws {
    try await ImageServer.run { server in
      let reply = Reply.body(body.deflated(format), headers: ["Content-Encoding": encoding])
      let whole = try await load(server.serve("/a", reply))
      let chunked = try await load(server.serve("/b", reply.chunked(1, 7, 1000)))
      #expect(whole == body)
      #expect(chunked == body)
    }
  }

  @Test(.requires(.contentDecoding))
  func `a compressed body of several members is one body, and other bytes after it are ignored`() async throws {
    try await ImageServer.run { server in
      let members = body.gzipped + body.gzipped
      let headers: HeaderFields = ["Content-Encoding": "gzip"]
      let joined = try await load(server.serve("/a", .body(members, headers: headers)))
      #expect(joined == body + body)
      let trailed = Reply.body(body.gzipped + Data("trailer".utf8), headers: headers)
      let first = try await load(server.serve("/b", trailed))
      #expect(first == body)
    }
  }

  @Test(.requires(.contentDecoding), arguments: [Data.DeflateFormat.gzip, .zlib, .raw])
  func `a compressed body is complete if the length of the decompressed one is declared`(
    format: Data.DeflateFormat
  ) async throws {
    try await ImageServer.run { server async throws in
      let encoding = format == .gzip ? "gzip" : "deflate"
      let headers: HeaderFields = ["Content-Encoding": encoding, "Content-Length": "\(body.count)"]
      let reply = Reply.body(body.deflated(format), headers: headers)
      #expect(try await load(server.serve("/a", reply.cut(at: .end))) == body)
      // Nothing else is waited for.
      #expect(try await load(server.serve("/b", reply.stalled(at: .end))) == body)
    }
  }

  @Test(.requires(.contentDecoding)) func `a length beside chunks is ignored`() async throws {
    try await ImageServer.run { server in
      let headers: HeaderFields = ["Content-Encoding": "gzip", "Content-Length": "\(body.count)"]
      let first = body.gzipped
      let url = server.serve("/a", Reply.body(first + first, headers: headers).chunked(first.count))
      let loaded = try await load(url)
      #expect(loaded == body + body)
    }
  }

  @Test(.requires(.contentDecoding), arguments: [false, true])
  func `the length of a body compressed twice may be the decompressed one, too`(isCut: Bool) async throws {
    try await ImageServer.run { server async throws in
      let headers: HeaderFields = ["Content-Encoding": "gzip, gzip", "Content-Length": "\(body.count)"]
      let reply = Reply.body(body.gzipped.gzipped, headers: headers)
      #expect(try await load(server.serve("/a", isCut ? reply.cut(at: .end) : reply.stalled(at: .end))) == body)
    }
  }

  @Test(.requires(.contentDecoding), arguments: [0, 1, 4, 8, 9, 1000])
  func `a truncated compressed body is an error, whatever length is declared`(missing: Int) async throws {
    let compressed = body.gzipped
    for length in [missing > 0 ? body.count : 1_000_000, compressed.count + 1, 1_000_000] {
      let headers: HeaderFields = ["Content-Encoding": "gzip", "Content-Length": "\(length)"]
      let reply = Reply.body(compressed, headers: headers).cut(at: .body(compressed.count - missing))
      #expect(try await reason(reply).contains("closed after \(compressed.count - missing) of \(length) bytes"))
    }
  }

  @Test(.requires(.contentDecoding))
  func `a body that expands a thousandfold is decompressed in pieces of 64 KiB, as far as it is read`()
    async throws
  {
    try await ImageServer.run { server in
      let bomb = Data(count: 16 << 20)
      let url = server.serve("/a", .body(bomb.gzipped, headers: ["Content-Encoding": "gzip"]))
      let pieces = try await pieces(of: url)
      #expect(pieces.allSatisfy { $0.count <= 64 << 10 })
      #expect(pieces.reduce(0) { $0 + $1.count } == bomb.count)
    }
  }

  @Test(
    .requires(.contentDecoding),
    arguments: [("br", "br"), ("gzip, br", "br"), ("zstd, gzip", "zstd"), ("gzip,gzip,gzip", "gzip, gzip, gzip")])
  func `an encoding that is not supported, or too many, are an error that names them`(
    encoding: String, named: String
  ) async throws {
    let once = body.gzipped
    #expect(try await reason(.body(once, headers: ["Content-Encoding": encoding])).contains("“\(named)”"))
  }

  @Test(
    .requires(.contentDecoding),
    arguments: [
      ("UTF-8", 0), ("none", 0), ("aws-chunked", 0), ("binary", 0), ("identity", 0), ("", 0), (",", 0), ("gzip,", 1),
      (",gzip", 1), ("UTF-8, gzip", 1), ("gzip, identity", 1), ("aws-chunked,gzip", 1), ("gzip, gzip", 2),
    ])
  func `what is no encoding is ignored`(encoding: String, times: Int) async throws {
    try await ImageServer.run { server in
      let encoded = (0..<times).reduce(body) { body, _ in body.gzipped }
      let loaded = try await load(server.serve("/a", .body(encoded, headers: ["Content-Encoding": encoding])))
      #expect(loaded == body)
    }
  }

  @Test func `an unknown encoding does not hide the status of an error`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .status(404, headers: ["Content-Encoding": "br"], body: body))
      let response = try await transport.response(to: TransportRequest(url: url))
      #expect(response.status == 404)
    }
  }

  @Test(.requires(.contentDecoding)) func `a compressed Transfer-Encoding is malformed`() async throws {
    let reply = Reply.body(body.gzipped, headers: ["Transfer-Encoding": "gzip"]).closeDelimited()
    #expect(try await reason(reply).contains("gzip"))
  }

  @Test(.requires(.contentDecoding)) func `requests accept gzip and deflate, unless they name other encodings`()
    async throws
  {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body))
      for headers in [[:], ["accept-encoding": "identity"], [:]] as [HTTPHeaders] {
        _ = try await transport.response(to: TransportRequest(url: url, headers: headers))
      }
      #expect(server.requests.map { $0.headers["Accept-Encoding"] } == ["gzip, deflate", "identity", "gzip, deflate"])
    }
  }
}
