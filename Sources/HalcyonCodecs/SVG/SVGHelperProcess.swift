#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// One run of a helper process.
struct SVGHelperProcess {
  /// How often cancellation and the time are checked, in milliseconds.
  private static let pollInterval: Int32 = 10
  private static let pieceByteCount = 64 << 10

  private let process = Process()
  private let pipe = Pipe()

  /// Starts the process with an input, which it reads from a file: it cannot fill a pipe, and may end at any time.
  init(_ program: URL, _ arguments: [String], input: Data) throws {
    guard let file = tmpfile() else { throw CocoaError(.fileWriteUnknown) }
    defer { fclose(file) }
    let handle = FileHandle(fileDescriptor: fileno(file), closeOnDealloc: false)
    try handle.write(contentsOf: input)
    try handle.seek(toOffset: 0)
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = handle
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// The output after the process has ended; it is killed when it exceeds a limit or is cancelled.
  func output(byteLimit: Int, limits: IsolatedSVGDecoder.Limits, isCancelled: () -> Bool) throws -> Data {
    let deadline = ContinuousClock.now + limits.duration
    var output = Data()
    do {
      while try waitForOutput(until: deadline, limits, isCancelled), appendPiece(to: &output) {
        guard output.count <= byteLimit else {
          throw ImageDecodingError.corrupt(.svg, reason: "its helper process wrote over \(byteLimit) bytes")
        }
      }
      // It may close its output and go on.
      while process.isRunning {
        try check(deadline, limits, isCancelled)
        usleep(1000)
      }
    } catch {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      // A process that the helper has started would wait for a reader, and be waited for.
      try? pipe.fileHandleForReading.close()
      process.waitUntilExit()
      throw error
    }
    // It has ended, but Foundation on Linux keeps a process, and the pipe with it, that was never waited for.
    process.waitUntilExit()
    guard process.terminationReason == .uncaughtSignal else { return output }
    throw ImageDecodingError.unsupportedFeature(.svg, feature: Self.feature(endedBy: process.terminationStatus, limits))
  }

  /// Waits for output or its end; returns `false` if the process has ended and has left none.
  private func waitForOutput(
    until deadline: ContinuousClock.Instant, _ limits: IsolatedSVGDecoder.Limits, _ isCancelled: () -> Bool
  ) throws(ImageDecodingError) -> Bool {
    var state = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    while true {
      try check(deadline, limits, isCancelled)
      let isRunning = process.isRunning
      if poll(&state, 1, Self.pollInterval) > 0 { return true }
      if !isRunning { return false }
    }
  }

  /// Returns `false` at the end of the output.
  private func appendPiece(to output: inout Data) -> Bool {
    let count = withUnsafeTemporaryAllocation(byteCount: Self.pieceByteCount, alignment: 16) { piece in
      let count = read(pipe.fileHandleForReading.fileDescriptor, piece.baseAddress, piece.count)
      if count > 0 { output.append(contentsOf: piece[..<count]) }
      return count
    }
    return count > 0 || count < 0 && errno == EINTR
  }

  private func check(
    _ deadline: ContinuousClock.Instant, _ limits: IsolatedSVGDecoder.Limits, _ isCancelled: () -> Bool
  ) throws(ImageDecodingError) {
    if isCancelled() { throw .cancelled }
    guard ContinuousClock.now < deadline else {
      throw .unsupportedFeature(.svg, feature: "a drawing that takes over \(limits.duration)")
    }
  }

  private static func feature(endedBy signal: Int32, _ limits: IsolatedSVGDecoder.Limits) -> String {
    if signal == SIGXCPU || signal == SIGKILL {
      return "a drawing that takes over \(limits.cpuSeconds) seconds of CPU time"
    }
    return
      "a drawing that ends its helper process with signal \(signal), or takes over \(limits.byteCount) bytes of memory"
  }
}
#endif
