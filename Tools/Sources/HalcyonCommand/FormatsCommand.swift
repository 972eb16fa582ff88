import ArgumentParser
import Foundation
import HalcyonCodecs
@_spi(Programs) import HalcyonImaging

/// `halcyon formats`: prints the formats that this build reads and writes, one line each.
struct FormatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats", abstract: "Lists the image formats and what can be done with them.")

  @Flag(help: "Print one JSON object per line.")
  var json = false

  func run() async throws {
    for format in ImageFormat.builtIn {
      let report = FormatReport(
        format: format.rawValue, reads: StandardCodecs.readable.contains(format),
        animates: (try? StandardCodecs.decoder(for: format)) is any AnimatedImageDecoder,
        writes: StandardCodecs.writable.contains(format))
      StandardOutput.write(json ? try JSONLine.encode(report) : report.line)
    }
  }
}

/// What can be done with one format.
private struct FormatReport: Encodable {
  let format: String
  let reads: Bool
  let animates: Bool
  let writes: Bool

  var line: String {
    let abilities = [reads ? "read" : nil, animates ? "animations" : nil, writes ? "write" : nil].compactMap(\.self)
    return "\(format): " + (abilities.isEmpty ? "not in this build" : abilities.joined(separator: ", "))
  }
}
