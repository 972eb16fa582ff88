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
      let (reads, writes) = (StandardCodecs.readable.contains(format), StandardCodecs.writable.contains(format))
      let animates = (try? StandardCodecs.decoder(for: format)) is any AnimatedImageDecoder
      let abilities = [reads ? "read" : nil, animates ? "animations" : nil, writes ? "write" : nil].compactMap(\.self)
      StandardOutput.write(
        json
          ? try JSONLine.encode(["format": format.rawValue, "reads": reads, "animates": animates, "writes": writes])
          : "\(format): " + (abilities.isEmpty ? "not in this build" : abilities.joined(separator: ", ")))
    }
  }
}
