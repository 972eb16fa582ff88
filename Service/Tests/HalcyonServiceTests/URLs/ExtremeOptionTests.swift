import Foundation
import Halcyon
@testable import HalcyonService
import TestSupport
import TestTraits
import Testing

/// Paths with extreme arguments, sent to the service without a socket: each one ends in an image or in an error of the
/// client. With `HALCYON_FUZZ_SECONDS`, as in `make fuzz`, other ones are made for as many seconds, at most nine minutes.
@Suite(.integrationTest)
struct ExtremeOptionTests {
  static let options =
    [
      OptionParser.sizeOptions, OptionParser.placementOptions, OptionParser.effectOptions, OptionParser.outputOptions,
      OptionParser.responseOptions,
    ].flatMap { $0.flatMap(\.0) } + ["preset", "pr"]

  static let arguments = [
    "", "0", "-0", "0.0", "1", "+1", "-1", "0.5", "0.001", "0.0009", "10", "1000", "100000", "1e308", "-1e308", "1e309",
    "5e-324", "-5e-324", "2.2250738585072014e-308", "0x1p-1074", "0x1p1023", "nan", "NaN", "-nan", "nan(0x1)", "snan",
    "inf", "-inf", "Infinity", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "170141183460469231731687303715884105728", "ce", "fp", "re", "soea", "fill-down", "force", "jpg", "svg", "true",
    "ff8000", "\u{301}", "1\u{301}", "%CC%81", "ce%CC%81", "1%CC%81", "%00", "%0D%0ASet-Cookie:%20a=b", "%1B%5B2J",
    "%E2%80%AE", "%FF", "%", "%2F", "%3A", "%D9%A3", "%EF%BC%91", String(repeating: "9", count: 10_000),
    String(repeating: "a", count: 10_000), String(repeating: ":", count: 1000),
  ]

  /// Sizes that leave the geometry something to overflow with.
  static let surroundings = [
    "rs:force:1:500:1", "rs:fill:100000:1:1", "s:1:100000:1:1", "z:0.001", "z:1000:0.001", "dpr:1000", "c:1:1",
    "c:5e-324:100000:fp:1:0", "c:0.5:0.5:soea:100000:-100000", "g:ce:100000:-100000", "rt:auto/w:100000",
    "rt:fill-down/s:3:2", "mw:100000", "mh:100000/z:0.001", "exar:1/s:1:200", "pd:10000", "rot:90",
    "wm:1:re:-100000:1:5e-324", "wm:1:ce:0:0:10", "el:1",
  ]

  @Test func `every option with every extreme argument ends in an image or an error of the client`() async throws {
    try await withService { service in
      for option in Self.options {
        for argument in Self.arguments { try await service.check("\(option):\(argument)") }
      }
    }
  }

  @Test func `combinations of extreme arguments end in an image or an error of the client`() async throws {
    let seconds = ProcessInfo.processInfo.environment["HALCYON_FUZZ_SECONDS"].flatMap(Int.init)
    let end = ContinuousClock.now + .seconds(min(seconds ?? 0, 540))
    try await withService { service in
      var seed = seconds == nil ? 1 : UInt64.random(in: 1...UInt64(UInt32.max))
      repeat {
        // To find the path that has ended the process.
        if seconds != nil { print("Seed \(seed)") }
        var random = SeededRandom(seed: seed)
        for _ in 0..<1000 { try await service.check(Self.path(&random)) }
        seed += 1
      } while ContinuousClock.now < end
    }
  }

  @Test(arguments: ["rs:force:1:500:1/z:5e-324:1/c:50:50", "rs:force:500:1:1/z:1:1e-300/c:0.5:0.5:fp:1:1"])
  func `a factor that leaves nothing of an image is refused`(options: String) async throws {
    try await withService { service in
      for name in TestImages.names {
        let request = ServiceRequest(path: "/_/\(options)/plain/local:///\(name)@png")
        #expect(await service.response(to: request).status == 400)
      }
    }
  }

  private static func path(_ random: inout SeededRandom) -> String {
    var segments = (0..<Int.random(in: 0...2, using: &random)).map { _ in
      surroundings.randomElement(using: &random) ?? ""
    }
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      var segment = options.randomElement(using: &random) ?? ""
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        // Mostly short ones: an invalid argument hides those of other options.
        let isValid = Int.random(in: 0..<4, using: &random) > 0
        segment += ":" + ((isValid ? arguments[..<17][...] : arguments[...]).randomElement(using: &random) ?? "")
      }
      segments.append(segment)
    }
    return segments.shuffled(using: &random).joined(separator: "/")
  }

  private func withService(_ body: (ImageService) async throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      try TestImages.write(to: folder)
      var configuration = ServiceConfiguration()
      (configuration.isInsecure, configuration.localRoot) = (true, folder)
      configuration.cacheDirectory = folder.appending(path: "cache", directoryHint: .isDirectory)
      configuration.watermark = folder.appending(path: "a.png")
      // So that no valid result takes long.
      (configuration.resultSideLimit, configuration.limits.pixelCount) = (128, 65_536)
      configuration.presets = ["0": ["w:10"], "1": ["preset:1", "z:2"]]
      let service = try await ImageService(configuration, logger: .silent)
      try await body(service)
      await service.close()
    }
  }
}

/// Small images of three decoders: with and without alpha, and drawn.
private enum TestImages {
  static let names = ["a.jpg", "a.png", "a.svg"]

  static func write(to folder: URL) throws {
    try Quadrants.jpeg(width: 24, height: 18).write(to: folder.appending(path: names[0]))
    try Quadrants.png(width: 8, height: 6, alpha: 128).write(to: folder.appending(path: names[1]))
    let drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'><rect width='9' height='9'/></svg>"
    try Data(drawing.utf8).write(to: folder.appending(path: names[2]))
  }
}

extension ImageService {
  /// Sends options with one of the images.
  fileprivate func check(_ options: String) async throws {
    let name = TestImages.names[abs(options.utf8.reduce(0) { $0 &* 31 &+ Int($1) } % TestImages.names.count)]
    let response = await response(to: ServiceRequest(path: "/_/\(options)/plain/local:///\(name)@png"))
    let isExpected = response.status == 200 || (400..<499).contains(response.status)
    #expect(isExpected, "\(response.status) for \(name) with \(options.prefix(300))")
  }
}

/// SplitMix64.
private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
