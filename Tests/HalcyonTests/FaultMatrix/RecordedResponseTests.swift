import Foundation
import Halcyon
import HalcyonImaging
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Loads responses that were sent to a browser, and compares what it showed and requested.
@Suite(.integrationTest)
struct RecordedResponseTests {
  /// Where the pipeline differs from the browser on purpose, by words in the names of one or several cases.
  private static let choices: [(words: String, reason: String)] = [
    ("too short a length", "a cut image is an error, unless the request allows a partial one"),
    ("an empty length", "libcurl is told in a second request to ignore the length"),
    ("a negative length", "libcurl is told in a second request to ignore the length"),
    ("a length with text", "libcurl is told in a second request to ignore the length"),
    ("UTF-8 and gzip", "what is no coding is ignored beside one, too"),
    ("gzip and identity", "what is no coding is ignored beside one, too"),
    ("a field without a colon", "libcurl 7.88 refuses it"),
    ("with a lone percent", "it is encoded, which servers decode to the same"),
    ("with a percent and a letter", "it is encoded, which servers decode to the same"),
    ("with a quote", "an apostrophe is allowed in a query"),
    ("with brackets", "they are encoded, which servers decode to the same"),
    ("then 304 with another tag", "a 304 for another image is not taken, and the image asked for again"),
    ("to no-store, then to another", "a redirect is stored with its image only"),
  ]

  /// The same where newer versions of libcurl differ.
  private static let newerChoices = [
    (words: "a length with a plus", reason: "libcurl 8 is told in a second request to ignore the length")
  ]

  @Test func `unusual responses, redirects and validators have the outcome that a browser gives`() async throws {
    let lines = try RecordedCase.all()
    #expect(lines.count > 500)
    var differences: [String] = []
    try await withOrigin { server, folder in
      var configuration = PipelineConfiguration()
      configuration.cache = ImageCache(in: folder)
      configuration.options.retryStrategy = .never
      configuration.redirectLimit = 20
      configuration.options.allowsErrorImage = true
      let pipeline = ImagePipeline(configuration: configuration)
      for (number, recorded) in lines.enumerated() {
        differences += await recorded.differences(at: "/\(number)", of: server, with: pipeline)
      }
      await pipeline.cache.flush()
    }
    let explained = Self.choices + Self.newerChoices
    let unexplained = differences.filter { difference in !explained.contains { difference.contains($0.words) } }
    #expect(unexplained.isEmpty, "\(unexplained.count):\n\(unexplained.joined(separator: "\n"))")
    let unused = Self.choices.filter { choice in !differences.contains { $0.contains(choice.words) } }
    #expect(unused.isEmpty)
  }
}

/// A line of `Fixtures/responses.jsonl`.
private struct RecordedCase: Decodable {
  let name: String
  let loads: [Load]
  let responses: [String: [Data]]

  struct Load: Decodable, Equatable, CustomStringConvertible {
    /// `red`, `green`, `cut`, or `nil` for an error.
    var shown: String?
    var requests: [String]

    var description: String { "shows \(shown ?? "nothing") after \(requests.joined(separator: " "))" }
  }

  static func all() throws -> [RecordedCase] {
    let file = Bundle.module.bundleURL.appending(path: "Fixtures/responses.jsonl")
    // The first line names the browser.
    return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).dropFirst()
      .map { try JSONDecoder().decode(RecordedCase.self, from: $0) }
  }

  /// A line for each load whose outcome is not the recorded one.
  func differences(at base: String, of server: ImageServer, with pipeline: ImagePipeline) async -> [String] {
    let host = "127.0.0.1:\(server.port)"
    for (path, replies) in responses {
      let replies = replies.map { Reply.raw(Self.expanded($0, base: base, host: host)) }
      let count = Atomic(0)
      server.serve(base + path) { _ in replies[min(count.add(1) - 1, replies.count - 1)] }
    }
    var differences: [String] = []
    for (index, expected) in loads.enumerated() {
      let known = server.requests.count
      let image = try? await pipeline.image(for: server.url(base + "/a.png"))
      // Until it is stored, a response is shared with loads that follow.
      await pipeline.cache.flush()
      let actual = Load(
        shown: image.map(Self.color), requests: server.requests[known...].map { String($0.path.dropFirst(base.count)) })
      guard actual != expected else { continue }
      let load = loads.count > 1 ? ", load \(index + 1)" : ""
      differences.append("\(name)\(load): the browser \(expected); here \(actual)")
    }
    return differences
  }

  private static func expanded(_ reply: Data, base: String, host: String) -> Data {
    guard let end = reply.firstRange(of: Data("\r\n\r\n".utf8)),
      var head = String(data: reply[..<end.lowerBound], encoding: .isoLatin1)
    else { return reply }
    let words = [
      "@base@": base, "@host@": host, "@name@": "127.0.0.1", "@padding@": String(repeating: "p", count: 1000),
    ]
    for (word, value) in words { head = head.replacing(word, with: value) }
    return Data(head.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) + reply[end.lowerBound...]
  }

  private static func color(of image: DecodedImage) -> String {
    image.bitmap.withUnsafeBytes { bytes in
      switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
      case (255, 0, 0, 255): "red"
      case (0, 255, 0, 255): "green"
      default: "cut"
      }
    }
  }
}
