import ArgumentParser
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

/// Drawings in a process of their own.
@Suite(.integrationTest)
struct DrawSVGCommandTests {
  private static let document = Data(
    """
    <svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><rect width='20' height='20' fill='red'/>\
    <circle cx='30' cy='10' r='8' fill='blue' opacity='.5'/></svg>
    """.utf8)
  /// Takes seconds, and less than the limit of the decoder.
  private static let slow = Data(
    """
    <svg xmlns='http://www.w3.org/2000/svg' width='1500' height='1500'><filter id='f'>\
    \(String(repeating: "<feTurbulence baseFrequency='.1' numOctaves='9'/>", count: 5))</filter>\
    <rect width='1500' height='1500' filter='url(#f)'/></svg>
    """.utf8)

  private static func decoder(_ limits: IsolatedSVGDecoder.Limits = .init()) throws -> IsolatedSVGDecoder {
    IsolatedSVGDecoder(helper: try CommandRun.program(), arguments: ["draw-svg"], limits: limits)
  }

  @Test func `a drawing that takes too much CPU time ends with the helper`() throws {
    var limits = IsolatedSVGDecoder.Limits()
    limits.cpuSeconds = 1
    let error = #expect(throws: ImageDecodingError.self) {
      try Self.decoder(limits).decode(Self.slow, options: DecodingOptions())
    }
    #expect(error == .unsupportedFeature(.svg, feature: "a drawing that takes over 1 seconds of CPU time"))
  }

  @Test func `a drawing that takes too much memory is an error`() throws {
    var limits = IsolatedSVGDecoder.Limits()
    limits.byteCount = 600 << 20
    #expect(throws: ImageDecodingError.self) {
      try Self.decoder(limits).decode(
        Self.document, options: DecodingOptions(size: .fit(width: 14_000, height: 14_000)))
    }
    _ = try Self.decoder(limits).decode(Self.document, options: DecodingOptions())
  }

  @Test func `the command draws with the helper`() async throws {
    let pipeline = try PipelineOptions.parse([]).pipeline()
    let decoder = pipeline.configuration.decoders.first { $0.formats.contains(.svg) }
    #expect(decoder is IsolatedSVGDecoder)
    try await withOrigin { _, folder in
      let (drawing, image) = (folder.appending(path: "a.svg"), folder.appending(path: "a.png"))
      try Self.document.write(to: drawing)
      let run = try await CommandRun(
        "get", drawing.path(), "--size", "80x", "-o", image.path(), "--cache-dir", folder.path() + "/cache")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.output.hasPrefix("svg 80x40 from 40x20, file, "), "\(run.output)\(run.errors)")
      #expect(try Data(contentsOf: image).starts(with: [0x89, 0x50, 0x4E, 0x47]))
      // A format that cannot be written becomes PNG.
      let kept = try await CommandRun(
        "get", drawing.path(), "--size", "80x", "-o", folder.path() + "/out/", "--cache-dir", folder.path() + "/cache")
      #expect(try names(in: folder.appending(path: "out")) == ["a.png"], "\(kept.output)\(kept.errors)")
      let info = try await CommandRun("info", drawing.path(), "--decode", "--json")
      let report = try #require(try info.objects().first)
      #expect(info.status == 0 && report["milliseconds"] is Double, "\(info.output)\(info.errors)")
      let help = try await CommandRun("--help")
      #expect(!help.output.contains("draw-svg"))
      #expect(try await CommandRun("help", "get").output.contains("USAGE: halcyon get "))
    }
  }
}
