import HalcyonHTTP
import Foundation
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct CurlTransportTests {
  private let transport = PlatformTransport()
  private let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  private func load(
    _ url: URL, limits: TransportLimits = TransportLimits(idleTimeout: .seconds(600))
  ) async throws -> (TransportResponse, Data) {
    let response = try await transport.response(to: TransportRequest(url: url, limits: limits))
    var data = Data()
    for try await piece in response.body {
      #expect(!piece.isEmpty)
      data.append(piece)
    }
    return (response, data)
  }

  @Test func `headers and body are received as they were sent`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body, headers: ["ETag": "\"1\"", "X-Other": "1"]))
      let (response, data) = try await load(url)
      #expect(response.status == 200)
      #expect(response.headers["etag"] == "\"1\"")
      #expect(response.headers["X-OTHER"] == "1")
      #expect(response.expectedByteCount == body.count)
      #expect(data == body)
    }
  }

  @Test(.requires(.fieldOrder)) func `fields of the same name are joined in their order`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body, headers: ["X-Twice": "1", "x-twice": "2"]))
      let (response, _) = try await load(url)
      #expect(response.headers["X-TWICE"] == "1, 2")
    }
  }

  @Test func `the headers of the request are sent, except those that would inject another`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1])))
      let headers: HTTPHeaders = [
        "Accept": "image/png", "X-Bad": "a\r\nX-Injected: 1", "X-Empty": "", "X-Colon: 1": "2",
        "X-Null": "a\0b",
      ]
      _ = try await transport.response(to: TransportRequest(url: url, headers: headers))
      let request = try #require(server.requests.first)
      #expect(request.headers["Accept"] == "image/png")
      #expect(request.headers["X-Injected"] == nil)
      #expect(request.headers["X-Colon"] == nil && request.headers["X-Null"] == nil)
      #expect(request.headers["X-Empty"] == "")
      #expect(request.headers["Cookie"] == nil)
    }
  }

  @Test func `a request sends only its own headers on a reused connection`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body))
      // Canonically equal strings with different bytes, a missing header, and different values of the same length.
      let values = ["caf\u{E9}", "cafe\u{301}", "tea", nil, "sea"]
      for value in values {
        var headers = HTTPHeaders()
        headers["X-Drink"] = value
        let response = try await transport.response(to: TransportRequest(url: url, headers: headers))
        for try await _ in response.body {}
      }
      #expect(server.acceptedConnectionCount == 1)
      // The server decodes headers as Latin-1, one character for each byte.
      let sent = server.requests.map { $0.headers["X-Drink"].map { $0.unicodeScalars.map { UInt8($0.value) } } }
      #expect(sent == values.map { $0.map { Array($0.utf8) } })
    }
  }

  @Test func `the outcome of a transfer does not affect the next one`() async throws {
    try await ImageServer.run { server in
      let good = server.serve("/good", .body(body))
      let missing = server.url("/missing")
      let cut = server.serve("/cut", .body(body).cut(at: .body(1000)))
      for _ in 0..<3 {
        let (response, data) = try await load(good)
        #expect(response.status == 200)
        #expect(data == body)
        #expect(try await load(missing).0.status == 404)
        let error = await #expect(throws: TransportError.self) { try await load(cut) }
        #expect(error == .connectionLost(received: 1000, expected: body.count))
      }
    }
  }

  #if !URLSESSION
  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://127.0.0.1/a"])
  func `only web URLs are transferred`(text: String) async throws {
    let url = try #require(URL(string: text))
    let error = await #expect(throws: TransportError.self) {
      try await transport.response(to: TransportRequest(url: url))
    }
    guard case .malformedResponse = error else {
      Issue.record("\(error.map { "\($0)" } ?? "a response")")
      return
    }
  }
  #endif

  @Test(.requires(.metrics)) func `a reused connection has no connect times`() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a", .body(body).held(by: gate, at: .body(0)))
      var timings: [TransportTimings] = []
      for _ in 0..<2 {
        gate.release()
        let (response, _) = try await load(url)
        timings.append(try #require(response.body.transferTimings))
      }
      #expect(timings.map(\.reusedConnection) == [false, true])
      #expect(timings[0].connect >= timings[0].nameLookup && timings[0].connect > .zero)
      #expect(timings[1].nameLookup == .zero && timings[1].connect == .zero && timings[1].secureConnect == .zero)
      for timings in timings {
        #expect(timings.httpVersion == "1.1")
        #expect(timings.secureConnect == .zero)
        #expect(timings.firstByte > timings.connect)
        #expect(timings.firstByte <= timings.total)
        #expect(timings.receivedByteCount == body.count)
      }
    }
  }

  @Test(.requires(.metrics)) func `a failed transfer has timings, too`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body).cut(at: .body(1000)))
      let response = try await transport.response(to: TransportRequest(url: url))
      await #expect(throws: TransportError.self) { for try await _ in response.body {} }
      #expect(response.body.transferTimings?.receivedByteCount == 1000)
    }
  }

  @Test func `a redirect is returned as a response, and not followed`() async throws {
    try await ImageServer.run { server in
      let (response, _) = try await load(server.serve("/a", .redirect(to: "/b", status: 308)))
      #expect(response.status == 308)
      #expect(response.headers["Location"] == "/b")
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a body without a length ends when the connection closes`() async throws {
    try await ImageServer.run { server in
      let (response, data) = try await load(server.serve("/a", .body(body).closeDelimited()))
      #expect(response.expectedByteCount == nil)
      #expect(data == body)
    }
  }

  @Test func `chunks of any size are joined into one body`() async throws {
    try await ImageServer.run { server in
      let (_, data) = try await load(server.serve("/a", .body(body).chunked(1, 2, 1000, 70_000, 3)))
      #expect(data == body)
    }
  }

  @Test func `idle connections closed by the server do not fail the next request`() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a", .body(body).held(by: gate).cut(at: .end))
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 { group.addTask { _ = try await load(url) } }
        try await gate.waitUntilHolding(8)
        gate.open()
        try await group.waitForAll()
      }
      try await server.waitUntilNoConnections()
      let (response, _) = try await load(server.serve("/b", .body(body)))
      #expect(response.status == 200)
      #expect(server.requests(for: "/b").count == 1)
    }
  }

  @Test func `100 concurrent transfers are all received`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body))
      try await withThrowingTaskGroup { group in
        for _ in 0..<100 {
          group.addTask {
            let (_, data) = try await load(url)
            #expect(data == body)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(.requires(.backPressure)) func `a body of 40 MiB is streamed in pieces`() async throws {
    try await ImageServer.run { server in
      let large = Data(repeating: 7, count: 40 << 20) + body
      let response = try await transport.response(to: TransportRequest(url: server.serve("/a", .body(large))))
      var (count, checksum): (Int, UInt64) = (0, 0)
      for try await piece in response.body {
        #expect(piece.count < 1 << 20, "the body is delivered in pieces below 1 MiB")
        count += piece.count
        checksum = piece.reduce(checksum) { $0 &+ UInt64($1) }
      }
      #expect(count == large.count)
      #expect(checksum == large.reduce(0) { $0 &+ UInt64($1) })
    }
  }

  @Test func `cancelling during the body closes the connection`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body).stalled(at: .body(1000)))
      let task = Task { try await load(url) }
      try await server.waitForRequests(count: 1)
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
      try await server.waitUntilNoConnections()
    }
  }

  @Test func `releasing a response closes its connection`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body).stalled(at: .body(1000)))
      do {
        let response = try await transport.response(to: TransportRequest(url: url))
        #expect(response.status == 200)
      }
      try await server.waitUntilNoConnections()
    }
  }

  @Test func `a transfer cancelled before it starts sends no request`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body))
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await load(url)
      }
      await #expect(throws: (any Error).self) { try await task.value }
      let (_, data) = try await load(url)
      #expect(data == body)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `releasing a transport ends its transfers`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body).stalled(at: .body(1000)))
      var short: PlatformTransport? = PlatformTransport()
      var response = try await short?.response(to: TransportRequest(url: url))
      #expect(response != nil)
      short = nil
      response = nil
      try await server.waitUntilNoConnections()
    }
  }
}
