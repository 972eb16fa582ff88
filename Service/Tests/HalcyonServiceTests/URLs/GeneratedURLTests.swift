import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonTesting
import TestSupport
import TestTraits
import Testing

@testable import HalcyonService

/// URLs with extreme arguments for every option. `HALCYON_FUZZ_SECONDS` goes on with other ones.
@Suite(.integrationTest)
struct GeneratedURLTests {
  private static let values =
    [
      "", "0", "-0", "1", "-1", "2", "0.5", "-0.5", "1.5", "5e-324", "-5e-324", "1e-300", "0.001", "1000", "100000",
      "100001",
      "1e308", "-1e308", "1e999", "nan", "-nan", "inf", "-inf", "infinity", "0x1p1023", "9223372036854775807",
      "-9223372036854775808", "99999999999999999999", "+1", "1_000", "٣", "t", "f", "true", "re", "ce", "no", "so",
      "ea",
      "we", "noea", "nowe", "soea", "sowe", "fp", "fit", "fill", "fill-down", "force", "auto", "png", "jpg", "webp",
      "svg", "xyz",
      "ff8000", "fff", "1\u{301}", "\u{301}", "%CC%81", "%00", "%0D%0A", "%", "%zz", "%2F", "%3A",
      "a%0d%0aSet-Cookie%3ax",
      "\u{202E}", String(repeating: "9", count: 400), String(repeating: "1:", count: 40),
      String(repeating: "x", count: 6000),
    ]
  /// Valid arguments, of which one at a time is replaced.
  private static let valid: [String: String] = [
    "adjust": "10:1.5:0.5", "background": "255:128:0", "crop": "50:30:noea:5:5", "dpr": "2",
    "extend": "1:soea:5:5", "format_quality": "png:50", "extend_aspect_ratio": "1:no:5:5", "gravity": "fp:0.3:0.7",
    "padding": "1:2:3:4",
    "resize": "force:1:500:1:1:no:1:1", "size": "30:20:1:1:we:1:1", "watermark": "0.5:re:3:3:0.3", "zoom": "0.01:2",
  ]
  private static let contexts = [
    "c:50:50", "c:0.5:0.001:fp:1:1", "rs:force:1:250:1", "rs:fill:300:1:1", "g:soea:1e5:-1e5", "dpr:0.001",
    "z:0.001:1000",
    "mw:200", "mh:300", "ex:1:nowe:5:5", "pd:3:4", "wm:1:re:0:0:0.3", "exar:1", "rs:fit:7:300:1", "rot:90", "el:1",
  ]

  @Test(arguments: OptionParser.optionNames)
  func `any arguments end in an image or an error of the client`(option: String) async throws {
    let seconds = ProcessInfo.processInfo.environment["HALCYON_FUZZ_SECONDS"].flatMap(Double.init) ?? 0
    let end = ContinuousClock.now + .seconds(seconds / Double(OptionParser.optionNames.count))
    try await withService { service, sources in
      var random = Generator(seed: option)
      let valid = (Self.valid[option] ?? "1").split(separator: ":").map(String.init)
      // Each value in each place, then random ones.
      var rest = valid.indices.flatMap { place in Self.values.map { valid.replacing(place, by: $0) } }
      var imageCount = 0
      while !rest.isEmpty || ContinuousClock.now < end {
        let arguments =
          rest.popLast() ?? valid.replacing(random.number(below: 6), by: random.element(Self.values))
        var options = (0..<random.number(below: 4)).map { _ in random.element(Self.contexts) }
        options.insert(([option] + arguments).joined(separator: ":"), at: random.number(below: options.count + 1))
        let source = random.element(sources)
        let path =
          "/_/\(options.joined(separator: "/"))/plain/\(source)\(random.element(["", "@png", "@jpg", "@webp"]))"
        let response = await service.response(to: ServiceRequest(path: path))
        if response.status == 200 {
          imageCount += 1
        } else {
          #expect((400..<500).contains(response.status), "\(response.status) for \(path)")
          let text = String(decoding: response.body, as: UTF8.self)
          #expect(!text.dropLast().unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E }, "\(path)")
        }
      }
      #expect(imageCount > 0)
    }
  }

  @Test func `bytes in any place of a URL end in an image or an error of the client`() async throws {
    try await withService { service, sources in
      var random = Generator(seed: "bytes")
      for _ in 0..<1500 {
        var path = Array("/_/rs:fill:20:20/plain/\(random.element(sources))@png".utf8)
        for _ in 0..<random.number(below: 6) + 1 {
          let place = random.number(below: path.count)
          switch random.number(below: 3) {
          case 0: path[place] = UInt8(random.number(below: 256))
          case 1: path.remove(at: place)
          default:
            path.insert(
              contentsOf: random.element(["/", "://", "..", ":", "@", "%2F", "\u{301}", "%CC%81"]).utf8, at: place)
          }
        }
        let text = "/" + String(decoding: path.dropFirst(), as: UTF8.self)
        let response = await service.response(to: ServiceRequest(path: text))
        #expect(response.status == 200 || (400..<500).contains(response.status), "\(response.status) for \(text)")
      }
    }
  }

  /// Runs `body` with a service of small images: a JPEG, a PNG with transparency and an SVG.
  private func withService(_ body: (ImageService, _ sources: [String]) async throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      try Quadrants.jpeg(width: 64, height: 48).write(to: folder.appending(path: "a.jpg"))
      try Quadrants.png(width: 7, height: 90, alpha: 100).write(to: folder.appending(path: "b.png"))
      try Data("<svg xmlns='http://www.w3.org/2000/svg' width='500' height='3'><rect width='9' height='2'/></svg>".utf8)
        .write(to: folder.appending(path: "c.svg"))
      var configuration = ServiceConfiguration()
      (configuration.isInsecure, configuration.localRoot) = (true, folder)
      configuration.resultSideLimit = 300
      configuration.watermark = folder.appending(path: "b.png")
      configuration.cacheDirectory = folder.appending(path: "cache", directoryHint: .isDirectory)
      let service = try await ImageService(configuration, logger: .silent)
      try await body(service, ["local:///a.jpg", "local:///b.png", "local:///c.svg"])
      await service.close()
    }
  }
}

/// Random choices that are the same in every run (SplitMix64).
private struct Generator {
  private var state: UInt64

  init(seed: String) { state = seed.utf8.reduce(5381) { $0 &* 33 &+ UInt64($1) } }

  mutating func number(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }

  mutating func element<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

}

extension [String] {
  /// The list with another element at a place, which may be after the last one.
  fileprivate func replacing(_ place: Int, by element: String) -> [String] {
    var list = self + Array(repeating: "", count: Swift.max(0, place + 1 - count))
    list[place] = element
    return list
  }
}
