import Foundation

/// The part of a path after its signature, as its client wrote it, where a proxy has rewritten it.
///
/// Some proxies merge slashes, so that `plain/https://host` becomes `plain/https:/host`, and some encode colons as `%3A`.
enum RestoredPath {
  /// The paths that the client may have signed, the path as it was received first.
  static func candidates(_ part: String) -> [String] {
    let (options, source) = split(part)
    let (colons, slashes) = (restoringColons(options), source.map(restoringSlashes))
    let pairs = [(options, source), (options, slashes), (colons, source), (colons, slashes)]
    let candidates = pairs.map { $0 + ($1.map { "/plain/" + $0 } ?? "") } + [likely(part)]
    return candidates.enumerated().filter { !candidates[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// The likely part where there is no signature to check: only an option without any colon has lost its colons.
  static func likely(_ part: String) -> String {
    let (options, source) = split(part)
    let restored = options.parts(between: "/").map { $0.hasByte(":") ? $0 : restoringColons($0) }
    return restored.joined(separator: "/") + (source.map { "/plain/" + restoringSlashes($0) } ?? "")
  }

  private static func split(_ part: String) -> (options: String, source: String?) {
    guard let plain = part.utf8.firstRange(of: "/plain/".utf8) else { return (part, nil) }
    return (String(part[..<plain.lowerBound]), String(part[plain.upperBound...]))
  }

  private static func restoringColons(_ text: String) -> String {
    text.replacingOccurrences(of: "%3A", with: ":").replacingOccurrences(of: "%3a", with: ":")
  }

  /// The source with the slashes after its scheme.
  private static func restoringSlashes(_ source: String) -> String {
    for colon in [":", "%3A", "%3a"] {
      guard let end = source.utf8.firstRange(of: (colon + "/").utf8) else { continue }
      let (scheme, rest) = (source[..<end.lowerBound], source[end.upperBound...])
      let isScheme = scheme.utf8.allSatisfy {
        "abcdefghijklmnopqrstuvwxyz0123456789+.-".utf8.contains((65...90).contains($0) ? $0 + 32 : $0)
      }
      guard isScheme, !scheme.isEmpty, !rest.isEmpty, rest.utf8.first != UInt8(ascii: "/") else { continue }
      return "\(scheme)\(colon)\(scheme == "local" ? "///" : "//")\(rest)"
    }
    return source
  }
}
