import Foundation

extension Setting {
  /// How paths are read.
  static let urls: [Setting] = [
    list(
      "trusted-signatures", "TEXT,…", \.trustedSignatures, "Signatures that are accepted for every path.",
      isSecret: true, expected: "texts without slashes", element: { $0.hasByte("/") || $0.isEmpty ? nil : $0 },
      text: { $0 }),
    text(
      "secret", "TEXT", \.configuration.secret, isSecret: true,
      "Requests for images must have it: Authorization: Bearer TEXT."),
    Setting(
      "source-encryption-key", "HEX", "The key of encrypted sources (enc/), 16, 24 or 32 bytes."
    ) { (text, settings) throws(ConfigurationError) in
      let key = text.isEmpty ? Data() : Data(hexadecimal: text)
      guard let key, text.isEmpty || SourceCipher.keyByteCounts.contains(key.count) else {
        throw .invalidValue(
          setting: "source-encryption-key", value: "…", expected: "32, 48 or 64 hexadecimal digits")
      }
      settings.configuration.sourceEncryptionKey = key
    } value: {
      $0.configuration.sourceEncryptionKey.isEmpty ? "" : "(secret)"
    },
    Setting("path-prefix", "PATH", "What the paths of all requests begin with, such as /images.") {
      (text, settings) throws(ConfigurationError) in
      settings.configuration.pathPrefix = path(text)
    } value: {
      $0.configuration.pathPrefix
    },
    Setting("health-path", "PATH", "A path that responds like /health.") {
      (text, settings) throws(ConfigurationError) in
      settings.configuration.healthPath = path(text)
    } value: {
      $0.configuration.healthPath
    },
    text("base-url", "URL", \.configuration.sourceRewriting.baseURL, "What is put before sources that lack it."),
    Setting(
      "url-replacements", "PATTERN=TEXT;…",
      "Replaces what sources begin with, such as mys3://=s3://bucket/; * is anything but a slash, and ${1} repeats it."
    ) { (text, settings) throws(ConfigurationError) in
      var replacements: [SourceRewriting.Replacement] = []
      for part in text.split(separator: ";") {
        guard let replacement = SourceRewriting.Replacement(String(part)) else {
          throw .invalidValue(setting: "url-replacements", value: String(part), expected: "PATTERN=TEXT")
        }
        replacements.append(replacement)
      }
      settings.configuration.sourceRewriting.replacements = replacements
    } value: {
      $0.configuration.sourceRewriting.replacements.map(\.description).joined(separator: ";")
    },
    flag(
      "base64-filename", \.configuration.hasFilenamesInBase64,
      "The last segment of paths with a Base64 URL is a name without effect."),
  ]

  /// A path that begins with a slash and does not end with one.
  private static func path(_ text: String) -> String {
    let segments = text.parts(between: "/").filter { !$0.isEmpty }
    return segments.isEmpty ? "" : "/" + segments.joined(separator: "/")
  }
}
