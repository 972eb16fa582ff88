#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging
import CHalcyonSystemShim

/// One run of a helper process, which is killed and waited for when the value goes.
///
/// Foundation's `Process` traps when the first one is started in a program that has no descriptors left.
struct SVGHelperProcess: ~Copyable {
  /// How often cancellation and the time are checked, in milliseconds.
  private static let pollInterval: Int32 = 10
  private static let pieceByteCount = 64 << 10

  private let id: pid_t
  /// The read end of the pipe from the standard output of the process.
  private let pipe: Int32
  /// As of `waitpid`; `nil` while the process runs.
  private var status: Int32?

  /// Starts the process with an input, which it reads from a file: it cannot fill a pipe, and may end at any time.
  ///
  /// - Throws: `POSIXError`, for example `EMFILE` without descriptors and `EAGAIN` without processes.
  init(_ program: URL, _ arguments: [String], input: Data) throws {
    let file = try Self.file(with: input)
    defer { close(file) }
    var ends: [Int32] = [-1, -1]
    guard halcyon_open_pipe(&ends) == 0 else { throw Self.error() }
    defer { close(ends[1]) }
    let texts: [UnsafeMutablePointer<CChar>?] = ([program.path] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let id = halcyon_spawn(program.path, texts, file, ends[1])
    guard id > 0 else {
      let error = Self.error()
      close(ends[0])
      throw error
    }
    (self.id, pipe) = (id, ends[0])
  }

  deinit {
    if status == nil { kill(id, SIGKILL) }
    // Otherwise a process that the helper has started would wait for a reader.
    close(pipe)
    guard status == nil else { return }
    while waitpid(id, nil, 0) < 0, errno == EINTR {}
  }

  private static func file(with input: Data) throws -> Int32 {
    var file: Int32 = -1
    guard halcyon_open_memory(&file) == 0 else { throw error() }
    let isWritten = input.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        guard count > 0 || errno == EINTR else { return false }
        rest = rest.dropFirst(max(0, count))
      }
      return true
    }
    guard isWritten, lseek(file, 0, SEEK_SET) == 0 else {
      let error = error()
      close(file)
      throw error
    }
    return file
  }

  /// The error in `errno`.
  private static func error() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// The output after the process has ended, which is killed when it exceeds a limit or is cancelled.
  consuming func output(
    byteLimit: Int, limits: IsolatedSVGDecoder.Limits, isCancelled: () -> Bool
  ) throws -> Data {
    let deadline = ContinuousClock.now + limits.duration
    var output = Data()
    while try waitForOutput(until: deadline, limits, isCancelled), appendPiece(to: &output) {
      guard output.count <= byteLimit else {
        throw ImageDecodingError.corrupt(.svg, reason: "its helper process wrote over \(byteLimit) bytes")
      }
    }
    // The process may close its output and run on.
    while isRunning() {
      try Self.check(deadline, limits, isCancelled)
      usleep(1000)
    }
    guard let signal = status.map({ $0 & 0x7F }), signal != 0 else { return output }
    throw ImageDecodingError.unsupportedFeature(.svg, feature: Self.feature(endedBy: signal, limits))
  }

  private mutating func isRunning() -> Bool {
    guard status == nil else { return false }
    var status: Int32 = 0
    let ended = waitpid(id, &status, WNOHANG)
    if ended == id { self.status = status }
    // Another part of the program has waited for it.
    if ended < 0, errno == ECHILD { self.status = 0 }
    return self.status == nil
  }

  /// Waits for output or for its end; returns `false` if the process has ended without further output.
  private mutating func waitForOutput(
    until deadline: ContinuousClock.Instant, _ limits: IsolatedSVGDecoder.Limits, _ isCancelled: () -> Bool
  ) throws(ImageDecodingError) -> Bool {
    var state = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    while true {
      try Self.check(deadline, limits, isCancelled)
      let isRunning = isRunning()
      if poll(&state, 1, Self.pollInterval) > 0 { return true }
      if !isRunning { return false }
    }
  }

  /// Returns `false` at the end of the output.
  private func appendPiece(to output: inout Data) -> Bool {
    let count = withUnsafeTemporaryAllocation(byteCount: Self.pieceByteCount, alignment: 16) { piece in
      let count = read(pipe, piece.baseAddress, piece.count)
      if count > 0 { output.append(contentsOf: piece[..<count]) }
      return count
    }
    return count > 0 || count < 0 && errno == EINTR
  }

  private static func check(
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
