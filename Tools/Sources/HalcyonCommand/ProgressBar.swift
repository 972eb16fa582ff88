import Foundation
import Halcyon

/// A download progress bar on standard error; nothing if that is not a terminal.
struct ProgressBar {
  private static let width = 30
  private let isTerminal = isatty(STDERR_FILENO) == 1
  /// What the terminal shows.
  private var text = ""

  /// Draws the bar if it has changed.
  mutating func show(_ progress: LoadProgress) {
    guard isTerminal else { return }
    let text = Self.text(progress)
    guard text != self.text else { return }
    self.text = text
    write("\r\u{1B}[K" + text)
  }

  mutating func clear() {
    if !text.isEmpty { write("\r\u{1B}[K") }
    text = ""
  }

  /// Leaves the bar as it is, and begins a new line.
  mutating func interrupt() {
    if !text.isEmpty { write("\n") }
    text = ""
  }

  private static func text(_ progress: LoadProgress) -> String {
    let bytes = ByteCountFormatter.string(fromByteCount: Int64(progress.receivedByteCount), countStyle: .file)
    guard progress.expectedByteCount != nil else { return bytes }
    let done = Int((progress.fraction * Double(width)).rounded())
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
    return "\(bar) \(Int(progress.fraction * 100)) % \(bytes)"
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
