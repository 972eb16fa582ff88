import Foundation

/// An entry of the list of allowed sources: scheme, host, port and the beginning of the path, each of which may have `*`.
///
/// It is compared with the parts of a parsed URL, never with its text: `https://example.com` does not allow
/// `https://example.com@evil.example`, nor `https://example.com.evil.example`.
public struct SourcePattern: Hashable, Sendable {
  private static let schemes = ["http", "https", "s3", "local"]

  private let scheme: Wildcard
  /// The host, in lower case; `nil` stands for all hosts and ports, and for that of local files.
  private let host: Wildcard?
  /// `nil` stands for the scheme's own port, or for any port where the host is `*`.
  private let port: Int?
  /// The segments that a path begins with.
  private let path: [Wildcard]
  /// The pattern as it is written, without a slash at the end.
  private let text: String

  /// Parses `SCHEME://HOST:PORT/PATH`, where `*` stands for any characters but slashes, also none.
  ///
  /// The scheme is `http`, `https`, `s3` with the bucket as the host, or `local` without a host. A scheme alone, such as
  /// `s3://`, stands for all its hosts or buckets. `https://*.example.com` stands for all subdomains.
  public init?(_ text: String) {
    guard let separator = text.utf8.firstRange(of: "://".utf8) else { return nil }
    let scheme = Wildcard(text[..<separator.lowerBound].lowercased().utf8)
    guard Self.schemes.contains(where: { scheme.matches($0.utf8) }) else { return nil }
    self.scheme = scheme
    let rest = text[separator.upperBound...]
    let authority = String(Substring(rest.utf8.prefix { $0 != UInt8(ascii: "/") }))
    // Local files have no host.
    guard authority.isEmpty || Self.schemes.contains(where: { $0 != "local" && scheme.matches($0.utf8) }) else {
      return nil
    }
    // What it could stand for has to be a URL.
    let example = rest.replacingOccurrences(of: "*", with: "a")
    if !rest.isEmpty, !authority.isEmpty || !scheme.matches("local".utf8) {
      guard let url = SourceURL("http://" + example), url.query == nil else { return nil }
    }
    guard let segments = SourceURL.segments(of: String(Substring(rest.utf8.dropFirst(authority.utf8.count)))) else {
      return nil
    }
    path = segments.map { Wildcard($0) }
    self.text = String(text.reversed().drop { $0 == "/" }.reversed())
    guard !authority.isEmpty else {
      (host, port) = (nil, nil)
      return
    }
    let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }
    let hasPort = authority.dropLast(digits.count).hasSuffix(":")
    var name = hasPort ? String(authority.dropLast(digits.count + 1)) : authority
    if name.hasSuffix(".") { name.removeLast() }
    guard !name.isEmpty else { return nil }
    host = Wildcard(name.lowercased().utf8)
    port = hasPort ? Int(String(digits.reversed())) : nil
  }

  /// Whether the source is allowed.
  public func matches(_ url: SourceURL) -> Bool {
    guard scheme.matches(url.scheme.utf8) else { return false }
    guard let host else { return path.isEmpty }
    guard host.matches(url.host.utf8), port.map({ $0 == url.port }) ?? (host.isAny || url.hasDefaultPort) else {
      return false
    }
    return matches(segments: url.segments)
  }

  /// Whether the local file with these segments is allowed.
  func matches(local segments: [[UInt8]]) -> Bool {
    scheme.matches("local".utf8) && host == nil && matches(segments: segments)
  }

  private func matches(segments: [[UInt8]]) -> Bool {
    segments.count >= path.count && zip(path, segments).allSatisfy { $0.matches($1) }
  }
}

extension SourcePattern: CustomStringConvertible {
  /// The pattern as it is written, with one slash at the end.
  public var description: String { text.hasSuffix(":") ? text + "//" : text + "/" }
}

/// A text in which `*` stands for any bytes, also none.
private struct Wildcard: Hashable, Sendable {
  private let parts: [[UInt8]]

  init(_ text: some Collection<UInt8>) {
    parts = text.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Array($0) }
  }

  /// Whether it stands for every text.
  var isAny: Bool { parts.count == 2 && parts.allSatisfy(\.isEmpty) }

  func matches(_ text: some Collection<UInt8>) -> Bool {
    var rest = Array(text)[...]
    guard rest.starts(with: parts[0]) else { return false }
    guard parts.count > 1 else { return rest.count == parts[0].count }
    rest = rest.dropFirst(parts[0].count)
    // Each part in between as early as possible, and the last one at the end.
    for part in parts[1..<(parts.count - 1)] where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    let last = parts[parts.count - 1]
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}
