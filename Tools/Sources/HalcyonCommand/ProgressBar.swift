import Foundation
import Halcyon

/// A download progress bar on standard error; nothing if that is not a terminal.
struct ProgressBar {
  private static let width = 30
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var isShown = false
  private var lastDrawn: ContinuousClock.Instant?

  mutating func show(_ progress: LoadProgress) {
    let now = ContinuousClock.now
    let isEnd = progress.receivedByteCount == progress.expectedByteCount
    guard isTerminal, isEnd || lastDrawn.map({ $0.duration(to: now) > .milliseconds(50) }) ?? true else { return }
    lastDrawn = now
    isShown = true
    let bytes = ByteCountFormatter.string(fromByteCount: Int64(progress.receivedByteCount), countStyle: .file)
    guard progress.expectedByteCount != nil else { return write("\r\u{1B}[K\(bytes)") }
    let done = Int((progress.fraction * Double(Self.width)).rounded())
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: Self.width - done)
    write("\r\u{1B}[K\(bar) \(Int(progress.fraction * 100)) % \(bytes)")
  }

  mutating func clear() {
    if isShown { write("\r\u{1B}[K") }
    isShown = false
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
