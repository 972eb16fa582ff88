#if os(Linux)
import Foundation
import HalcyonTestSupport
import Testing

/// One run of the real program, with a terminal as standard error.
struct TerminalRun {
  private struct Screen {
    var text = ""
    var isClosed = false
  }

  /// `TIOCSPTLCK` and `TIOCGPTN` of Linux: Glibc's module does not have the functions for pseudoterminals.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  private let process = Process()
  private let screen = Monitor(Screen())

  /// Starts `halcyon`.
  init(_ arguments: String...) throws {
    let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (isLocked, number): (Int32, UInt32) = (0, 0)
    try #require(ioctl(main, Self.setLock, &isLocked) == 0 && ioctl(main, Self.getNumber, &number) == 0)
    // Not the terminal of the tests, which its end would end.
    let device = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(device >= 0)
    let terminal = FileHandle(fileDescriptor: device)
    process.executableURL = try CommandRun.program()
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = terminal
    try process.run()
    // Only the program has it open now, so that reading ends with the program.
    try terminal.close()
    Thread.detachNewThread { [screen] in Self.read(main, screen) }
  }

  /// Waits until the program has printed a text.
  func waitForText(_ text: String) async throws {
    try await screen.wait { $0.text.contains(text) || $0.isClosed }
    try #require(screen.read { $0.text.contains(text) })
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits until the program has ended: what it has printed, and its exit status, or `nil` if a signal ended it.
  func end() async throws -> (text: String, status: Int32?) {
    try await screen.wait { $0.isClosed }
    process.waitUntilExit()
    return (screen.read { $0.text }, process.terminationReason == .exit ? process.terminationStatus : nil)
  }

  private static func read(_ terminal: Int32, _ screen: Monitor<Screen>) {
    var bytes = Data()
    var piece = [UInt8](repeating: 0, count: 4096)
    while case let count = Glibc.read(terminal, &piece, piece.count), count > 0 {
      bytes += piece.prefix(count)
      let text = String(decoding: bytes, as: UTF8.self)
      screen.update { $0.text = text }
    }
    screen.update { $0.isClosed = true }
    close(terminal)
  }
}
#endif
