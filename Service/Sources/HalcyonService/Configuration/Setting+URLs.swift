import Foundation

extension Setting {
  /// How paths are read.
  static let urls: [Setting] = [
    list(
      "trusted-signatures", "TEXT,…", \.configuration.trustedSignatures, "Signatures that are accepted for every path.",
      isSecret: true, expected: "texts without slashes", element: { $0.hasByte("/") || $0.isEmpty ? nil : $0 },
      text: { $0 }),
    text(
      "secret", "TEXT", \.configuration.secret, isSecret: true,
      "Requests for images must have it: Authorization: Bearer TEXT."),
    value(
      "source-encryption-key", "HEX", \.configuration.sourceEncryptionKey,
      "The key of encrypted sources (enc/), 16, 24 or 32 bytes.", isSecret: true,
      expected: "32, 48 or 64 hexadecimal digits"
    ) { text in
      let key = text.isEmpty ? Data() : Data(hexadecimal: text)
      return key.flatMap { $0.isEmpty || SourceCipher.keyByteCounts.contains($0.count) ? $0 : nil }
    } text: {
      $0.isEmpty ? "" : "(secret)"
    },
    value(
      "path-prefix", "PATH", \.configuration.pathPrefix, "What the paths of all requests begin with, such as /images.",
      read: path, text: \.self),
    value(
      "health-path", "PATH", \.configuration.healthPath, "A path that responds like /health.", read: path, text: \.self),
    text("base-url", "URL", \.configuration.sourceRewriting.baseURL, "What is put before sources that lack it."),
    list(
      "url-replacements", "PATTERN=TEXT;…", separator: ";", \.configuration.sourceRewriting.replacements,
      "Replaces what sources begin with, such as mys3://=s3://bucket/; * is anything but a slash, and ${1} repeats it.",
      expected: "PATTERN=TEXT", element: SourceRewriting.Replacement.init(_:), text: \.description),
    flag(
      "base64-filename", \.configuration.hasFilenamesInBase64,
      "The last segment of paths with a Base64 URL is a name without effect."),
  ]

  /// A path that begins with a slash and does not end with one.
  @Sendable private static func path(_ text: String) -> String {
    let segments = text.parts(between: "/").filter { !$0.isEmpty }
    return segments.isEmpty ? "" : "/" + segments.joined(separator: "/")
  }
}
