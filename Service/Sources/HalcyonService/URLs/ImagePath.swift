import Foundation
@_spi(Programs) import HalcyonProcessing

/// The parts of a path in the syntax of imgproxy: `/SIGNATURE/OPTIONS/plain/URL@EXTENSION`, or
/// `/SIGNATURE/OPTIONS/BASE64.EXTENSION`.
public struct ImagePath: Hashable, Sendable {
  /// The first segment: the signature of ``signedPart``, or any text where signatures are not required.
  public var signature: String
  /// All that follows the signature, with the slash that begins it.
  public var signedPart: String
  /// The segments with processing options, each `NAME:ARGUMENT:…`.
  public var options: [String]
  /// The URL of the source.
  public var source: String
  /// The extension of the result, or `nil` if there is none.
  public var fileExtension: String?

  /// Parses the path of a request, as it was sent: percent-encoded and without the query.
  ///
  /// - Parameters:
  ///   - hasPresetsOnly: Whether the only segment with options is a list of presets, which may be one name without a colon.
  ///   - hasFilename: Whether the last segment after a Base64 URL of several segments is a name without effect.
  public init(_ path: String, hasPresetsOnly: Bool = false, hasFilename: Bool = false) throws(PathError) {
    guard let (signature, signedPart) = Self.signature(in: path) else { throw .incomplete(path: path) }
    (self.signature, self.signedPart) = (signature, signedPart)
    let segments = Array(signedPart.parts(between: "/").dropFirst())
    let sourceStart = hasPresetsOnly ? 1 : segments.firstIndex { !$0.hasByte(":") } ?? segments.endIndex
    guard !signature.isEmpty, sourceStart < segments.endIndex else { throw .incomplete(path: path) }
    if segments[sourceStart] == "enc" { throw .encryptedSource }
    if segments[sourceStart] == "-" { throw .chainedPipelines }
    options = Array(segments[..<sourceStart])
    if segments[sourceStart] == "plain" {
      (source, fileExtension) = try Self.plain(segments[(sourceStart + 1)...].joined(separator: "/"))
    } else {
      let encoded = segments[sourceStart...]
      (source, fileExtension) = try Self.encoded(
        (hasFilename && encoded.count > 1 ? encoded.dropLast() : encoded).joined())
    }
  }

  /// The first segment of a path, and the rest with the slash that begins it; `nil` without a rest.
  static func signature(in path: some StringProtocol) -> (signature: String, signedPart: String)? {
    guard path.utf8.first == UInt8(ascii: "/"), let end = path.utf8.dropFirst().firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    return (String(path[path.utf8.index(after: path.startIndex)..<end]), String(path[end...]))
  }

  /// Everything after `plain/`; the last `@` begins the extension.
  private static func plain(_ text: String) throws(PathError) -> (source: String, fileExtension: String?) {
    let parts = text.parts(between: "@")
    guard parts.count <= 2, let url = parts[0].removingPercentEncoding, !url.isEmpty else {
      throw .invalidSource(text)
    }
    return (url, fileExtension(parts))
  }

  /// The segments joined without slashes; a dot begins the extension.
  private static func encoded(_ text: String) throws(PathError) -> (source: String, fileExtension: String?) {
    let parts = text.parts(between: ".")
    guard (1...2).contains(parts.count), let bytes = Base64URL.decode(parts[0]), !bytes.isEmpty,
      let url = String(bytes: bytes, encoding: .utf8)
    else { throw .invalidSource(text) }
    return (url, fileExtension(parts))
  }

  private static func fileExtension(_ parts: [String]) -> String? {
    parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil
  }
}
