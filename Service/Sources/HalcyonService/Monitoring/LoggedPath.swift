import Foundation
import Halcyon
@_spi(Programs) import HalcyonProcessing

/// The path of a request for the log: on one line, and without what gives access to anything.
///
/// A path is logged as it is understood: its known options, and its source without user, password and query, also where that
/// was in Base64 or encrypted. Of the rest, and of a path that cannot be read, only the length and a hash are logged, the same for equal
/// texts as long as the process runs. The signature is left out where one is required, since anyone who reads the log could
/// repeat the request.
struct LoggedPath {
  private static let limit = 2048
  /// Paths of the service's own.
  private static let own: Set<String> = [
    "", "/", "/health", "/ready", "/metrics", "/favicon.ico", "/gallery.css", "/gallery.js", "/gallery.json",
  ]
  /// A signature has 8 bytes or more, and so 11 characters.
  private static let longestWord = 10

  private let configuration: ServiceConfiguration

  init(_ configuration: ServiceConfiguration) { self.configuration = configuration }

  /// The text of a path.
  func text(_ path: String) -> String {
    let prefix = configuration.pathPrefix
    let start =
      ["/info", "/cache", ""].lazy.map { prefix + $0 }.first { path.utf8.starts(with: ($0 + "/").utf8) } ?? ""
    let rest = String(Substring(path.utf8.dropFirst(start.utf8.count)))
    if [configuration.healthPath, prefix].contains(path) || start == prefix && Self.own.contains(rest)
      || Self.own.contains(path)
    {
      return path
    }
    let isPurge = start.hasSuffix("/cache")
    guard let (signature, part) = ImagePath.signature(in: isPurge ? "/_" + rest : rest),
      let path = try? ImagePath(
        "/_" + RestoredPath.likely(part), hasPresetsOnly: configuration.acceptsPresetsOnly && !isPurge,
        hasFilename: configuration.hasFilenamesInBase64, encryptionKey: configuration.sourceEncryptionKey)
    else { return start + "/" + Redaction.digest(of: rest) }
    let isShown = configuration.isInsecure && signature.utf8.count <= Self.longestWord && Redaction.isPlain(signature)
    var segments = isPurge ? [] : [isShown ? signature : Redaction.omission]
    segments += path.options.map(option) + ["plain", source(path.source.withEncodedBytes, path.fileExtension)]
    return (start + segments.reduce("") { $0 + "/" + $1 }).printable(limit: Self.limit)
  }

  private func option(_ text: String) -> String {
    let name = Substring(text.utf8.prefix { $0 != UInt8(ascii: ":") })
    let isKnown = configuration.acceptsPresetsOnly || OptionParser.isOption(String(name))
    guard isKnown, Redaction.isPlain(text), Redaction.removingEncodedURLs(text) == text else {
      return Redaction.digest(of: text)
    }
    return text
  }

  private func source(_ text: String, _ fileExtension: String?) -> String {
    let suffix = fileExtension.map { "@" + $0 } ?? ""
    // After an `@` that is not escaped there may be a host, and a password before it.
    guard fileExtension.map({ ImageFormat(fileExtension: $0) != nil }) ?? true,
      let shown = Redaction.source(text) ?? Redaction.source(configuration.sourceRewriting.applied(to: text))
    else { return Redaction.digest(of: text + suffix) }
    return shown + suffix
  }
}
