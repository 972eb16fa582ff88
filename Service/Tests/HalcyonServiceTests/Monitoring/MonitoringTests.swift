import Foundation
import HTTPTypes
import Halcyon
import HalcyonHTTP
@_spi(Programs) import HalcyonProcessing
@testable import HalcyonService
import HalcyonTransport
import Logging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Metrics and the log.
@Suite(.integrationTest)
struct MonitoringTests {
  @Test func `metrics count sources and what the process takes, and counters are typed so`() async throws {
    try await RunningService.run { service, origin in
      let file = try Quadrants.png()
      let answers = [
        try await service.image("w:40", of: origin.serve("/a.png", .body(file))),
        try await service.image("w:40", of: origin.serve("/b.png", .status(404))),
        try await service.image("w:40", of: try origin.refusingURL("/c.png")),
      ]
      // Its response has no body.
      _ = try await service.get("/health", method: HTTPMethod("HEAD") ?? .get)
      let sent = answers.map(\.body.count).reduce(0, +)
      let text = try await service.get("/metrics").text
      for line in [
        "halcyon_source_requests_total{status=\"200\"} 1", "halcyon_source_requests_total{status=\"404\"} 1",
        "halcyon_source_bytes_total \(file.count)", "halcyon_sent_bytes_total \(sent)",
        "# TYPE halcyon_disk_hits_total counter", "# TYPE process_cpu_seconds_total counter",
        "# TYPE halcyon_requests_active gauge",
      ] {
        #expect(text.contains(line + "\n"), "\(line)")
      }
      #expect(text.contains("halcyon_source_requests_total{status=\"failed\"}"))
      let types = text.matches(of: #/# TYPE (\S+) (\S+)/#)
      for type in types {
        #expect(type.output.1.hasSuffix("_total") == (type.output.2 == "counter"), "\(type.output.1)")
      }
      #if os(Linux)
      let memory = try #require(text.firstMatch(of: #/\nprocess_resident_memory_bytes (\d+)/#))
      #expect(try #require(Int(memory.output.1)) > 1 << 20)
      // Measured again, since other tests change it.
      let measured = ProcessMetrics.measures.flatMap(\.lines).joined(separator: "\n")
      let now = try #require(measured.firstMatch(of: #/\nprocess_resident_memory_bytes (\d+)/#))
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let kilobytes = try #require(status.firstMatch(of: #/VmRSS:\s+(\d+) kB/#))
      let half = try #require(Int(kilobytes.output.1)) * 512
      #expect(try #require(Int(now.output.1)) > half)
      #endif
    }
  }

  @Test func `statuses that no server sends in earnest are counted by their class`() {
    let statuses = Dictionary(uniqueKeysWithValues: (100..<1000).map { ($0, 1) })
    let counts = StatusLabel.counts(statuses)
    #expect(counts.count < 60 && counts.map(\.count).reduce(0, +) == 900)
    #expect(counts.contains { $0 == ("404", 1) } && counts.contains { $0.label == "4xx" && $0.count > 50 })
    #expect(counts.contains { $0 == ("5xx", 92) })
    #expect(counts.contains { $0 == ("other", 400) })
  }

  @Test(arguments: ["", "imgproxy"])
  func `the metrics of imgproxy are served beside those of the service where they are asked for`(
    namespace: String
  ) async throws {
    try await RunningService.run({ $0.imgproxyMetrics = namespace }) { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
      for _ in 0..<3 { _ = try await service.image("w:40", of: source) }
      _ = try await service.image("w:40", of: origin.url("/missing.png"))
      _ = try await service.image("nothing:1", of: source)
      let text = try await service.get("/metrics").text
      let prefix = namespace.isEmpty ? "" : "imgproxy_"
      for line in [
        "requests_total 5", "status_codes_total{status=\"200\"} 3", "status_codes_total{status=\"404\"} 1",
        "errors_total{type=\"download\"} 1", "errors_total{type=\"path_parsing\"} 1",
        "request_duration_seconds_count 5", "request_duration_seconds_bucket{le=\"+Inf\"} 5",
        "request_span_duration_seconds_count{span=\"downloading_image\"} 1",
        "request_span_duration_seconds_bucket{span=\"processing_image\",le=\"+Inf\"} 1",
        "requests_in_progress 1", "images_in_progress 0",
      ] {
        #expect(text.contains("\n\(prefix)\(line)\n"), "\(line)")
      }
      #expect(text.contains("\n# TYPE \(prefix)workers_utilization gauge\n"))
      #expect(text.contains("\nhalcyon_requests_total{status=\"200\"} 3\n"))
    }
    try await RunningService.run { service, _ in
      let text = try await service.get("/metrics").text
      #expect(!text.contains("workers_utilization"))
    }
  }

  @Test func `a bucket of a histogram has the durations up to its limit, those of earlier buckets included`() {
    var histogram = Histogram(buckets: [0.25, 1])
    for milliseconds in [250, 500, 1000, 2000] { histogram.add(.milliseconds(milliseconds)) }
    #expect(
      histogram.lines("a", labels: "b=\"c\",") == [
        "a_bucket{b=\"c\",le=\"0.25\"} 1", "a_bucket{b=\"c\",le=\"1.0\"} 3", "a_bucket{b=\"c\",le=\"+Inf\"} 4",
        "a_sum{b=\"c\"} 3.75", "a_count{b=\"c\"} 4",
      ])
  }

  @Test(
    arguments: [
      (.invalidSignature, "security"), (.plan(.sourceTooLong(byteLimit: 1)), "security"),
      (.source(.tooManyWaiting), "queue"), (.deadlineExceeded, "timeout"), (.source(.noSuchFile), "download"),
      (.unwritableFormat(.bmp), "processing"), (.clientLeft, nil),
    ] as [(ServiceError, String?)])
  func `errors have imgproxy's types, and utilization is in percent`(error: ServiceError, type: String?) {
    let metrics = ImgproxyMetrics(namespace: "")
    metrics.end(status: error.status, duration: .zero, error)
    let text = metrics.text(workers: 4, requestCount: 2, imageCount: 1)
    let types = text.matches(of: #/errors_total\{type="([a-z_]+)"\} 1\n/#).map { String($0.output.1) }
    #expect(types == [type].compactMap(\.self))
    for line in ["workers 4", "requests_in_progress 2", "images_in_progress 1", "workers_utilization 50.0"] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test func `metrics may have an address of their own, which ignores Upgrade as well`() async throws {
    let port = Monitor(0)
    try await RunningService.run {
      $0.metricsAddress = ListeningAddress(host: "127.0.0.1", port: 0)
    } onMetricsListening: { number in
      port.update { $0 = number }
    } body: { service, origin in
      try await port.wait { $0 > 0 }
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
      let path = "/_/w:40/plain/\(source.absoluteString)@png"
      #expect(try await service.get(path).status == 200)
      #expect(service.service.cachedResponse(to: ServiceRequest(path: path)) != nil)
      let metrics = RunningService(port: port.read { $0 }, service: service.service)
      #expect(try await metrics.get("/metrics").text.contains("halcyon_requests_in_flight"))
      #expect(try await metrics.get("/health").status == 200)
      #expect(try await metrics.get("/ready").status == 200)
      #expect(try await metrics.get("/metrics", method: .post).status == 405)
      #expect(try await metrics.get("/_/w:40/plain/http://127.0.0.1/a.png").status == 404)
      #expect(try await service.get("/metrics").status == 404)
      try await RawConnection.run(to: metrics) { connection throws in
        // Not from memory either.
        connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.response().status == 404)
        connection.send("GET /health HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
        #expect(try connection.response().status == 200)
        #expect(try connection.isClosed())
      }
      service.service.stop()
      #expect(try await metrics.get("/ready").status == 503)
    }
  }

  @Test func `the level of a line follows from the status`() async throws {
    for (level, paths) in [
      (Logger.Level.error, ["broken"]), (.warning, ["missing", "broken"]), (.info, ["ok", "missing", "broken"]),
    ] {
      let lines = EventLog<String>()
      let logger = Logger(label: "test") { _ in LineLog(lines, level: level) }
      try await RunningService.run(logger: logger) { service, origin in
        let sources = [
          origin.serve("/ok.png", .body(try Quadrants.png())), origin.url("/missing.png"),
          origin.serve("/broken.png", .status(500)),
        ]
        for source in sources {
          _ = await service.service.response(to: ServiceRequest(path: "/_/w:40/plain/\(source.absoluteString)@png"))
        }
        let logged = lines.events
        #expect(logged.count == paths.count && zip(logged, paths).allSatisfy { $0.contains("/\($1).png") }, "\(logged)")
      }
    }
  }

  /// The statuses that are logged from a level on.
  @Test(
    arguments: [
      (.info, [399, 400, 499, 500]), (.warning, [400, 500]), (.error, [500]),
    ] as [(Logger.Level, [Int])])
  func `a client that leaves is no fault, and a trusted proxy names it`(level: Logger.Level, statuses: [Int]) throws {
    var configuration = ServiceConfiguration()
    let request = ServiceRequest(path: "/", headers: [.forwardedFor: "1.2.3.4"], client: "10.0.0.1")
    let proxy = try #require(AddressRange("10.0.0.0/8"))
    for (proxies, client) in [([], "10.0.0.1"), ([proxy], "1.2.3.4")] as [([AddressRange], String)] {
      configuration.trustedProxies = proxies
      let lines = EventLog<String>()
      let log = RequestLog(configuration, logger: Logger(label: "test") { _ in LineLog(lines, level: level) })
      for status in [399, 400, 499, 500] {
        log.record(
          status, byteCount: 0, duration: .zero, isHit: nil, to: request, id: "a", path: nil,
          status == 499 ? .clientLeft : nil)
      }
      let logged = lines.events
      #expect(logged.count == statuses.count)
      for (line, status) in zip(logged, statuses) {
        #expect(line.contains("status=\(status)") && line.contains("client=\(client) "), "\(line)")
      }
    }
  }

  @Test func `failures of sources are information where they are not reported`() async throws {
    let lines = EventLog<String>()
    let logger = Logger(label: "test") { _ in LineLog(lines, level: .warning) }
    try await RunningService.run({ $0.reportsSourceErrors = false }, logger: logger) { service, origin in
      for source in [
        origin.url("/missing.png"), origin.serve("/broken.png", .status(500)),
        origin.serve("/text.png", .body(Data("text".utf8))),
      ] {
        #expect(try await service.image("w:40", of: source).status >= 400)
      }
      _ = try await service.image("nothing:1", of: origin.url("/a.png"))
      #expect(lines.events.count == 1 && lines.events[0].contains("“nothing”"), "\(lines.events)")
    }
  }

  @Test(arguments: [false, true])
  func `responses have the details of errors only where they are asked for`(isAsked: Bool) async throws {
    try await RunningService.run({ $0.showsErrorDetails = isAsked }) { service, origin in
      let source = origin.serve("/a.png", .status(403))
      let text = try await service.image("w:40", of: source).text
      #expect(text.contains(source.absoluteString) == isAsked, "\(text)")
    }
  }

  @Test(
    arguments: [
      ("10.0.0.1", "1.2.3.4", "1.2.3.4"), ("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.9", "1.2.3.4"),
      ("9.9.9.9", "1.2.3.4", "9.9.9.9"),
      ("10.0.0.1", "", "10.0.0.1"), ("10.0.0.1", "1.2.3.4, bad", "10.0.0.1"), (nil, "1.2.3.4", "1.2.3.4"),
      ("10.0.0.1", "2001:db8::1", "2001:db8::1"), ("10.0.0.1", "10.0.0.2", "10.0.0.2"),
    ] as [(String?, String, String)])
  func `a trusted proxy says who the client is`(connection: String?, field: String, client: String) throws {
    let proxies = [try #require(AddressRange("10.0.0.0/8"))]
    #expect(ForwardedClient.address(connection: connection, forwardedFor: field, proxies: proxies) == client)
  }

  @Test func `a line of the log says what was requested by whom, and why it failed`() async throws {
    let lines = EventLog<String>()
    let logger = Logger(label: "test") { _ in LineLog(lines, level: .info) }
    try await RunningService.run(logger: logger) { service, origin in
      let source = origin.serve("/a.png", .status(500))
      _ = try await service.image("w:40", of: source)
      _ = try await service.get("/_/w:40/plain/%0Ax")
      let good = origin.serve("/b.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
      for _ in 0..<2 { _ = try await service.image("w:40", of: good) }
      let logged = lines.events
      #expect(logged.count == 4)
      #expect(logged[0].contains("client=127.0.0.1 ") && logged[0].contains("status=502"))
      #expect(logged[0].contains("path=/_/w:40/plain/\(source.absoluteString)@png"))
      #expect(logged[0].contains("error=\(source.absoluteString) responded with HTTP 500"), "\(logged[0])")
      #expect(logged[1].contains("status=400") && logged[1].contains("error="))
      #expect(logged[2].contains("cache=miss") && !logged[2].contains("error="))
      #expect(logged[3].contains("cache=hit") && logged[3].contains("client=127.0.0.1 "))
    }
  }
}
