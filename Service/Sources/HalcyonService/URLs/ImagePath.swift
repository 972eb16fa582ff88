public import Foundation
@_spi(Programs) import HalcyonProcessing

/// The parts of a path in the syntax of imgproxy: `/SIGNATURE/OPTIONS/plain/URL@EXTENSION`,
/// `/SIGNATURE/OPTIONS/BASE64.EXTENSION` or `/SIGNATURE/OPTIONS/enc/ENCRYPTED.EXTENSION`.
public struct ImagePath: Hashable, Sendable {
  /// The first segment: the signature of ``signedPart``, or any text where signatures are not required.
  public var signature: String
  /// All that follows the signature, with the slash that begins it.
  public var signedPart: String
  /// The segments with processing options, each `NAME:ARGUMENT:…`.
  public var options: [String]
  /// The URL of the source; if it is not UTF-8, its bytes outside ASCII are each a NUL and two hexadecimal digits.
  public var source: String
  /// Whether the source was encrypted.
  public var isEncrypted = false
  /// The source as far as responses may name it: nothing of an encrypted one.
  var publicSource: String { isEncrypted ? "" : source }
  /// The extension of the result, or `nil` if there is none.
  public var fileExtension: String?

  /// Parses the path of a request, as it was sent: percent-encoded and without the query.
  ///
  /// - Parameters:
  ///   - hasPresetsOnly: Whether the only segment with options is a list of presets, which may be one name without a colon.
  ///   - hasFilename: Whether the last segment after a Base64 URL of several segments is a name without effect.
  ///   - encryptionKey: The AES key of an encrypted source, 16, 24 or 32 bytes. Default: empty, it is an error.
  public init(
    _ path: String, hasPresetsOnly: Bool = false, hasFilename: Bool = false, encryptionKey: Data = Data()
  ) throws(PathError) {
    guard let (signature, signedPart) = Self.signature(in: path) else { throw .incomplete(path: path) }
    (self.signature, self.signedPart) = (signature, signedPart)
    let segments = Array(signedPart.parts(between: "/").dropFirst())
    let sourceStart = hasPresetsOnly ? 1 : segments.firstIndex { !$0.hasByte(":") } ?? segments.endIndex
    guard !signature.isEmpty, sourceStart < segments.endIndex else { throw .incomplete(path: path) }
    isEncrypted = segments[sourceStart] == "enc"
    guard !isEncrypted || !encryptionKey.isEmpty else { throw .encryptedSource }
    if segments[sourceStart] == "-" { throw .chainedPipelines }
    options = Array(segments[..<sourceStart])
    if segments[sourceStart] == "plain" {
      (source, fileExtension) = try Self.plain(segments[(sourceStart + 1)...].joined(separator: "/"))
    } else {
      let encoded = segments[(sourceStart + (isEncrypted ? 1 : 0))...]
      (source, fileExtension) = try Self.encoded(
        (hasFilename && encoded.count > 1 ? encoded.dropLast() : encoded).joined()
      ) { [isEncrypted] in
        isEncrypted
          ? SourceCipher.text($0, key: encryptionKey).flatMap { String(sourceBytes: $0.utf8) } : String(sourceBytes: $0)
      }
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
    guard parts.count <= 2, let url = parts[0].percentDecoded.flatMap({ String(sourceBytes: $0) }),
      !url.isEmpty
    else {
      throw .invalidSource(text)
    }
    return (url, fileExtension(parts))
  }

  /// The segments joined without slashes; a dot begins the extension.
  private static func encoded(
    _ text: String, source: (Data) -> String?
  ) throws(PathError) -> (source: String, fileExtension: String?) {
    let parts = text.parts(between: ".")
    guard (1...2).contains(parts.count), let bytes = Base64URL.decode(parts[0]),
      let url = source(bytes), !url.isEmpty
    else { throw .invalidSource(text) }
    return (url, fileExtension(parts))
  }

  private static func fileExtension(_ parts: [String]) -> String? {
    parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil
  }
}
