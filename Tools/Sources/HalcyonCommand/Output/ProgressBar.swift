import Foundation
import Halcyon

/// A progress bar on standard error; nothing if that is not a terminal.
struct ProgressBar {
  private static let width = 30
  /// Whether there is a terminal to draw on.
  static let isShown = isatty(STDERR_FILENO) == 1
  /// What the terminal shows.
  private var text = ""

  /// Draws the progress of a download.
  mutating func show(_ progress: LoadProgress) {
    let bytes = ByteCountFormatter.string(fromByteCount: Int64(progress.receivedByteCount), countStyle: .file)
    show(fraction: progress.fraction, bytes)
  }

  /// Draws the bar, if it has changed: the fraction that is done, if it is known, and a text.
  mutating func show(fraction: Double?, _ label: String) {
    guard Self.isShown else { return }
    let text = Self.text(fraction, label)
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

  private static func text(_ fraction: Double?, _ label: String) -> String {
    guard let fraction = fraction.map({ min(1, $0) }) else { return label }
    let done = Int((fraction * Double(width)).rounded())
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
    return "\(bar) \(Int(fraction * 100)) % \(label)"
  }

  private func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
