import Foundation

/// Messages on standard error.
enum StandardError {
  static func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}

/// The descriptions of the library's errors, with the options of the program instead of the library's properties.
enum Advice {
  private static let replacements = [
    ("Raise limits.encodedByteCount to accept it.", "Raise --max-bytes to accept it."),
    ("Raise limits.pixelCount to accept it.", "Raise --max-pixels to accept it."),
    ("Raise limits.sideLength to accept it.", "Raise --max-side to accept it."),
    ("or raise the request's timeout.", "or raise --timeout."),
    (
      "and the request does not allow the network. Set its freshness to .standard to load it.",
      "and --freshness does not allow the network. Use --freshness standard to load it."
    ),
  ]

  static func describe(_ error: any Error) -> String {
    replacements.reduce("\(error)") { $0.replacing($1.0, with: $1.1) }
  }
}

/// The output of `--json` for an image that was not loaded or written.
struct FailureReport: Encodable {
  let address: String
  let error: String
}
