import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Logging
import Testing

@testable import HalcyonService

/// Sources in `enc/`, encrypted by `openssl enc -aes-128-cbc`.
@Suite(.integrationTest)
struct EncryptedSourceTests {
  private static let key = Data(0..<16)
  /// `images/beach.jpg`.
  private static let beach = "EBESExQVFhcYGRobHB0eH8rMlFATFrQRB9W8yCuS192Vp3lXrVGFOgzMq2IzxKSZ"

  @Test func `an encrypted source is fetched, and no response names it`() async throws {
    let lines = EventLog<String>()
    let logger = Logger(label: "test") { _ in LineLog(lines, level: .trace) }
    try await ImageServer.run { origin in
      let source = origin.serve(
        "/images/beach.jpg", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=60"]))
      try await RunningService.run(
        {
          ($0.sourceEncryptionKey, $0.sendsCanonicalLink, $0.purgeToken) = (Self.key, true, "token")
          $0.sourceRewriting.baseURL = origin.url("/").absoluteString
        }, logger: logger
      ) { service, _ in
        // Made, and then from memory.
        for _ in 0..<2 {
          let answer = try await service.get("/_/w:40/enc/\(Self.beach).png")
          #expect(try answer.bitmap().size.width == 40)
          #expect(!"\(answer.headers)".contains("beach") && answer.headers["Link"] == nil)
          #expect(answer.headers["Content-Disposition"] == "inline; filename=\"image.png\"")
        }
        #expect(try await service.get("/info/_/enc/\(Self.beach)").text.contains("\"width\":80"))
        let purged = try await service.get(
          "/cache/enc/\(Self.beach)", method: .delete, ["Authorization": "Bearer token"])
        #expect(purged.status == 200 && !purged.text.contains(":0}"))
        #expect(origin.requests.allSatisfy { $0.path == source.path })
        #expect(try await !service.get("/metrics").text.contains("beach"))
        #expect(lines.events.contains { $0.contains("path=/_/w:40/plain/\(source.absoluteString)@png") })
        #expect(!lines.events.contains { $0.contains("0001020304") || $0.contains(Self.beach) })
      }
    }
  }

  @Test func `whatever is wrong with an encrypted source, the response is the same`() async throws {
    try await RunningService.run {
      $0.sourceEncryptionKey = Self.key
    } body: { service, _ in
      var answers: Set<String> = []
      for (encrypted, fault) in [
        ("EBESExQVFhcYGRobHB0eHw", "no text"), (String(Self.beach.dropLast(2)), "no whole block"),
        ("EBESExQVFhcYGRobHB0eHwqUC7VBbvBF8cOUWMZT6lo", "an empty text"), ("%", "not Base64"), ("", "nothing"),
        ("EBESExQVFhcYGRobHB0eH4H_j4mWynjE-0agutatbHoboKssd6Wac2g5ewVE3Fwr", "no padding"),
        ("EBESExQVFhcYGRobHB0eH4H_j4mWynjE-0agutatbHpozwq4mKwbnQLJXG4wdLv3", "a padding of 17 bytes"),
        ("EBESExQVFhcYGRobHB0eH4YBqXuZXgJ0j5HybMmgx3s", "not UTF-8"), (Self.beach, "no URL"),
        ("EBESExQVFhcYGRobHB0eH4P39f8SEeb2a2IbsJVDKzl2SYpS23yX_wnwJN6GVZ53", "another scheme"),
      ] {
        for path in ["/_/w:40/enc/\(encrypted).png", "/info/_/enc/\(encrypted)"] {
          let answer = try await service.get(path)
          #expect(answer.status == 400, "\(fault)")
          answers.insert(
            "\(answer.text)\(answer.headers["Content-Type"] ?? "")\(answer.headers["Cache-Control"] ?? "")")
        }
      }
      #expect(answers.count == 1, "\(answers)")
    }
  }

  @Test func `encrypted sources without signatures are named in the log at the start`() throws {
    let key = ["IMGPROXY_SOURCE_URL_ENCRYPTION_KEY": String(repeating: "0f", count: 32)]
    func check(_ others: [String: String]) throws -> ServiceCommand {
      try ServiceCommand(
        arguments: ["--check", "--cache-size", "0"], environment: key.merging(others) { $1 })
    }
    guard case .check(let report, let warnings) = try check([:]) else { throw ConfigurationError.unsigned }
    #expect(report.contains("source-encryption-key = (secret)") && !report.contains("0f0f"))
    #expect(warnings.count == 1 && warnings[0].contains("padding oracle"), "\(warnings)")
    guard case .check(_, let none) = try check(["IMGPROXY_KEY": "00", "IMGPROXY_SALT": "00"]) else {
      throw ConfigurationError.unsigned
    }
    #expect(none.isEmpty)
  }
}
