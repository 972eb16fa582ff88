import Foundation
import Synchronization

/// Standard output. All that the commands print passes through this and ``StandardError``.
enum StandardOutput {
  private static let failed = Atomic(false)
  /// Whether a line could not be printed, for another reason than that a pipe has no reader any more.
  static var hasFailed: Bool { failed.load(ordering: .relaxed) }

  /// Prints a line; a reader of a pipe gets it at once. The first failure is reported, and the work goes on.
  static func write(_ line: String) {
    do throws(OutputError) {
      try write(Data((line.printableLine + "\n").utf8))
    } catch {
      if case .unwritable(_, EPIPE) = error { return }
      if !failed.exchange(true, ordering: .relaxed) { StandardError.write("Error: \(error)") }
    }
  }

  static func write(_ data: Data) throws(OutputError) {
    let code = OutputFile.write(data, to: STDOUT_FILENO)
    if code != 0 { throw .unwritable(path: "standard output", code: code) }
  }
}

/// Messages on standard error.
enum StandardError {
  static func write(_ line: String, terminator: String = "\n") {
    try? FileHandle.standardError.write(contentsOf: Data((line.printableLine + terminator).utf8))
  }
}

/// The descriptions of the library's errors, with the options of the program instead of the library's properties.
enum Advice {
  private static let replacements = [
    ("Raise limits.encodedByteCount to accept it.", "Raise --max-bytes to accept it."),
    ("Raise limits.pixelCount to accept it.", "Raise --max-pixels to accept it."),
    ("Raise limits.sideLength to accept it.", "Raise --max-side to accept it."),
    ("or raise the request's timeout.", "or raise --timeout."),
    (
      "and the request does not allow the network. Set its cachePolicy to .standard to load it.",
      "and --freshness does not allow the network. Use --freshness standard to load it."
    ),
    ("a path, not a URL. Use URL(filePath:).", "a path, not a URL. Give an http or https URL."),
    (", or URL(filePath:) for a file.", "."),
    ("“\(StandardInput.title)”", StandardInput.title),
    ("that this build reads. Check the URL.", "that this build reads. See halcyon formats."),
    ("that this build reads. Check the data of this source.", "that this build reads. See halcyon formats."),
    (", or raise transportLimits.connectTimeout.", "."),
    (", or raise transportLimits.idleTimeout.", "."),
    (", or raise transportLimits.totalTimeout.", "."),
    (
      " Raise transportLimits.headerByteCount to accept it. CurlTransport accepts no field over 102400 bytes.", ""
    ),
    (", or raise redirectLimit.", "."),
    (" Start fewer loads at once, or raise connectionLimits.waiting.", " Load fewer images at once."),
    (" Raise sizeLimit to store it.", " Raise --size-limit to store it."),
    (" Unpin some or raise sizeLimit.", " Raise --size-limit, or remove some."),
    (", userInfo and caching fields", " and caching fields"),
    (", or add a decoder for it to the pipeline's configuration.", "."),
    (", or add an encoder for it to the pipeline's configuration.", "."),
    ("Add a decoder for it to the pipeline's configuration, or use another format.", "Use another format."),
    ("Add an encoder for it to the pipeline's configuration, or use another format.", "Use another format."),
    (", or the policy .strip (pass no metadata).", ", or --metadata strip."),
  ]

  /// - Parameter sources: The arguments that the error may be about; paths are named as they were given.
  static func describe(_ error: any Error, of sources: String...) -> String {
    let text = replacements.reduce("\(error)") { $0.replacing($1.0, with: $1.1) }
    return sources.reduce(text) { text, source in
      SourceArgument.isURL(source) ? text : text.replacing(SourceArgument.fileURL(source), with: source)
    }
  }
}
