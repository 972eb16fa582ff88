#if SVG && os(Linux)
import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// What a helper process gets, and what it cannot do. A shell in its place reports that as an error.
@Suite(.integrationTest)
struct SVGHelperConfinementTests {
  private static func report(_ script: String) throws -> String {
    let script = "cat >/dev/null; report=$(\(script)); printf '{\"feature\":\"%s\"}\\n' \"$report\""
    let decoder = IsolatedSVGDecoder(helper: URL(filePath: "/bin/bash"), arguments: ["-c", script])
    do {
      let document = Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'/>".utf8)
      _ = try decoder.decode(document, options: DecodingOptions())
      return ""
    } catch ImageDecodingError.unsupportedFeature(.svg, let report) {
      return report
    }
  }

  @Test func `a helper gets the variables that it needs to start and to find fonts, and no secrets`() async {
    await #expect(processExitsWith: .success) {
      setenv("AWS_SECRET_ACCESS_KEY", "secret", 1)
      setenv("HALCYON_SERVE_KEYS", "secret", 1)
      setenv("PATHS", "secret", 1)
      setenv("XDG_CACHE_HOME", "/tmp", 1)
      setenv("LANG", "C", 1)
      let script = "tr '\\0' '\\n' </proc/$$/environ | cut -d= -f1 | tr '\\n' ' '"
      guard let report = try? SVGHelperConfinementTests.report(script) else { exit(1) }
      let names = Set(report.split(separator: " ").map(String.init))
      guard names.isSuperset(of: ["PATH", "LANG", "XDG_CACHE_HOME"]) else { exit(2) }
      let others = names.subtracting(["PATH", "HOME", "LANG", "LD_LIBRARY_PATH"])
      exit(others.allSatisfy { $0.hasPrefix("XDG_") || $0.hasPrefix("FONTCONFIG_") } ? 0 : 3)
    }
  }

  @Test func `a helper gets no new privileges`() throws {
    #expect(try Self.report("grep -c 'NoNewPrivs:.*1' /proc/self/status") == "1")
  }

  @Test func `a helper cannot connect to a server`() throws {
    let port = try SilentPort()
    let connect = "(exec 3<>/dev/tcp/127.0.0.1/\(port.number)) 2>/dev/null && echo connected || echo refused"
    #expect(try Self.report(connect) == "refused")
    #expect(port.takeConnectionCount() == 0)
    // The same outside of a helper.
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/bash")
    shell.arguments = ["-c", connect]
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    #expect(try output.fileHandleForReading.readToEnd() == Data("connected\n".utf8))
    shell.waitUntilExit()
    #expect(port.takeConnectionCount() == 1)
  }
}
#endif
