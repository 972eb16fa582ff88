import Foundation
import Halcyon

/// One line of the table.
struct Row {
  static let header = line(["file", "pixels", "shown at", "origin", "ms", "bytes"])

  private let cells: [String]

  init(name: String, response: ImageResponse, elapsed: Duration) {
    let milliseconds = elapsed / .milliseconds(1)
    cells = [
      name, response.image.info.pixelSize.description, response.image.size.description,
      response.origin == .store ? "disk" : response.origin.rawValue, String(format: "%.3f", milliseconds),
      response.encodedByteCount.map(String.init) ?? "–",
    ]
  }

  var line: String { Self.line(cells) }

  private static let widths = [22, 10, 9, 10, 8, 8]

  private static func line(_ cells: [String]) -> String {
    zip(cells, widths).enumerated().map { index, cell in
      let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      // The last two columns are numbers, aligned right.
      return index >= 4 ? padding + cell.0 : cell.0 + padding
    }.joined(separator: " ")
  }
}
