import Foundation
import Halcyon
@testable import HalcyonProcessing
@testable import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Paths with extreme arguments, sent to the service without a socket: each one ends in an image or in an error of the
/// client. With `HALCYON_FUZZ_SECONDS`, as in `make fuzz`, other ones are made for as many seconds, at most nine minutes.
@Suite(.integrationTest)
struct ExtremeOptionTests {
  static let options =
    [
      OptionParser.sizeOptions, OptionParser.placementOptions, OptionParser.effectOptions, OptionParser.outputOptions,
      OptionParser.responseOptions,
    ].flatMap { $0.flatMap(\.names) } + ["preset", "pr"]

  /// Arguments at the ends of what options accept.
  static let accepted = [
    "", "0", "-0", "1", "2", "0.5", "0.001", "5e-324", "10", "500", "1000", "100000", "true", "ce", "fp", "soea",
    "force",
  ]

  static let arguments =
    accepted + [
      "0.0", "+1", "-1", "0.0009", "1e308", "-1e308", "1e309", "-5e-324", "2.2250738585072014e-308", "0x1p-1074",
      "0x1p1023", "nan", "NaN", "-nan", "nan(0x1)", "snan", "inf", "-inf", "Infinity", "9223372036854775807",
      "9223372036854775808", "-9223372036854775808", "170141183460469231731687303715884105728", "re", "fill-down",
      "jpg",
      "svg", "ff8000", "\u{301}", "1\u{301}", "%CC%81", "ce%CC%81", "1%CC%81", "%00", "%0D%0ASet-Cookie:%20a=b",
      "%1B%5B2J", "%E2%80%AE", "%FF", "%", "%2F", "%3A", "%D9%A3", "%EF%BC%91", String(repeating: "9", count: 10_000),
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
        for argument in Self.arguments {
          try await service.check("\(option):\(argument)")
          for surrounding in ["rs:force:1:500:1/c:50:50", "rs:force:500:1:1/c:0.5:0.5:fp:1:1", "z:0.001:1000/mw:9"] {
            _ = Plans.make("\(surrounding)/\(option):\(argument):1")
          }
        }
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
        var random = SplitMix(state: seed)
        var planCount = 0
        for _ in 0..<3000 {
          try Task.checkCancellation()
          if try await service.check(Self.path(&random)) { planCount += 1 }
        }
        #expect(planCount > 500)
        seed += 1
      } while ContinuousClock.now < end
    }
  }

  @Test(arguments: ["rs:force:1:500:1/z:5e-324:1/c:50:50", "rs:force:500:1:1/z:1:1e-300/c:0.5:0.5:fp:1:1"])
  func `a factor that leaves nothing of an image is refused`(options: String) async throws {
    try await withService(sideLimit: 8192) { service in
      for name in TestImages.names {
        let request = ServiceRequest(path: "/_/\(options)/plain/local:///\(name)@png")
        #expect(await service.response(to: request).status == 400)
      }
    }
  }

  private static func path(_ random: inout SplitMix) -> String {
    var segments = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      surroundings.randomElement(using: &random) ?? ""
    }
    for _ in 0..<Int.random(in: 0...1, using: &random) {
      var segment = options.randomElement(using: &random) ?? ""
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        // Mostly accepted ones: an invalid argument hides the others.
        let arguments = Int.random(in: 0..<8, using: &random) > 0 ? accepted : arguments
        segment += ":" + (arguments.randomElement(using: &random) ?? "")
      }
      segments.append(segment)
    }
    return segments.shuffled(using: &random).joined(separator: "/")
  }

  private func withService(sideLimit: Int = 128, _ body: (ImageService) async throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      try TestImages.write(to: folder)
      var configuration = ServiceConfiguration()
      (configuration.isInsecure, configuration.localRoot) = (true, folder)
      configuration.cacheDirectory = folder.appending(path: "cache", directoryHint: .isDirectory)
      configuration.watermark = folder.appending(path: "a.png")
      // So that no valid result takes long.
      (configuration.resultSideLimit, configuration.limits.pixelCount) = (sideLimit, 65_536)
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
  /// Sends options with one of the images, and plans them for results of any size.
  ///
  /// - Returns: Whether the options are valid.
  @discardableResult
  fileprivate func check(_ options: String) async throws -> Bool {
    let isValid = Plans.make(options)
    let name = TestImages.names[abs(options.utf8.reduce(0) { $0 &* 31 &+ Int($1) } % TestImages.names.count)]
    let response = await response(to: ServiceRequest(path: "/_/\(options)/plain/local:///\(name)@png"))
    let isExpected = response.status == 200 || (400..<499).contains(response.status)
    #expect(isExpected, "\(response.status) for \(name) with \(options.prefix(300))")
    return isValid
  }
}

/// Plans without results, for which no size is too large.
private enum Plans {
  private static let sources = [(1, 1), (24, 18), (3, 20_000), (100_000, 7)].map { PixelSize(width: $0, height: $1) }

  /// Whether the options are valid.
  static func make(_ options: String) -> Bool {
    guard let path = try? ImagePath("/_/\(options)/plain/http://e.com/a"),
      let options = try? OptionParser().options(of: path).options
    else { return false }
    for source in sources {
      for isVector in [false, true] {
        _ = try? ProcessingPlan(options, source: source, isVector: isVector, sideLimit: 100_000_000)
      }
    }
    return true
  }
}
