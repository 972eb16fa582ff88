import Foundation

/// The environment variables of imgproxy, so that a deployment of imgproxy has to change only the name of its image.
///
/// Settings of the service override the variables. If any variable but `IMGPROXY_BIND` is set, two defaults are
/// imgproxy's: without a key URLs need no signature, and private addresses may be connected to.
enum ImgproxyVariables {
  /// The settings that a variable stands for, with their values.
  private typealias Translation = @Sendable (String) throws(ConfigurationError) -> [(setting: String, value: String)]

  private static let prefix = "IMGPROXY_"

  /// Applies the variables, and returns the names of variables without effect.
  static func apply(_ environment: [String: String], to settings: inout Settings) throws(ConfigurationError) -> [String]
  {
    let variables = environment.filter { $0.key.hasPrefix(prefix) && !$0.value.isEmpty }
    guard !variables.isEmpty else { return [] }
    if variables.contains(where: { $0.key != prefix + "BIND" }) {
      settings.configuration.isInsecure = variables[prefix + "KEY"] == nil
      let allowsPrivate = variables[prefix + "ALLOW_PRIVATE_SOURCE_ADDRESSES"].map(isTrue) ?? true
      var ranges = allowsPrivate ? privateRanges : ""
      if isTrue(variables[prefix + "ALLOW_LOOPBACK_SOURCE_ADDRESSES"] ?? "") { ranges += "," + loopbackRanges }
      if isTrue(variables[prefix + "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES"] ?? "") { ranges += "," + linkLocalRanges }
      try set("allowed-addresses", ranges, &settings)
    }
    try set("auto-formats", formats(["AUTO_", "ENFORCE_"], variables), &settings)
    try set("enforce-formats", formats(["ENFORCE_"], variables), &settings)
    try set("presets", try presets(variables), &settings)
    if isTrue(variables[prefix + "PNG_QUANTIZE"] ?? "") {
      try set("png-colors", variables[prefix + "PNG_QUANTIZATION_COLORS"] ?? "256", &settings)
    }
    if isTrue(variables[prefix + "USE_S3"] ?? "") {
      settings.usesInstanceRole = true
      try set("s3-region", environment["AWS_REGION"] ?? "us-east-1", &settings)
      try set("s3-access-key", environment["AWS_ACCESS_KEY_ID"] ?? "", &settings)
      try set("s3-secret-key", environment["AWS_SECRET_ACCESS_KEY"] ?? "", &settings)
      try set("s3-session-token", environment["AWS_SESSION_TOKEN"] ?? "", &settings)
    }
    var ignored: [String] = []
    for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
      let name = String(name.dropFirst(prefix.count))
      if let setting = names[name] {
        try set(setting, value, &settings)
      } else if let translation = translations[name] {
        for (setting, value) in try translation(value) { try set(setting, value, &settings) }
      } else if !handled.contains(name) {
        ignored.append(prefix + name)
      }
    }
    return ignored
  }

  private static func set(_ name: String, _ value: String, _ settings: inout Settings) throws(ConfigurationError) {
    guard !value.isEmpty, let setting = Setting.all.first(where: { $0.name == name }) else { return }
    try setting.parse(value, &settings)
  }

  private static func isTrue(_ text: String) -> Bool { ["1", "t", "T", "true", "TRUE", "True"].contains(text) }

  private static let privateRanges = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7"
  private static let loopbackRanges = "127.0.0.0/8,::1/128"
  private static let linkLocalRanges = "169.254.0.0/16,fe80::/10"

  /// Variables that take the same values as a setting.
  private static let names = [
    "KEY": "keys", "SALT": "salts", "SIGNATURE_SIZE": "signature-size", "TRUSTED_SIGNATURES": "trusted-signatures",
    "SECRET": "secret", "ALLOW_ORIGIN": "allow-origin", "PATH_PREFIX": "path-prefix",
    "HEALTH_CHECK_PATH": "health-path", "PROMETHEUS_BIND": "metrics-address", "TTL": "ttl", "TIMEOUT": "deadline",
    "DOWNLOAD_TIMEOUT": "source-timeout", "WORKERS": "concurrency", "QUALITY": "quality",
    "MAX_ANIMATION_FRAMES": "max-animation-frames", "WEBP_EFFORT": "webp-effort", "AVIF_SPEED": "avif-speed",
    "JXL_EFFORT": "jxl-effort", "ETAG_BUSTER": "etag-buster", "LAST_MODIFIED_BUSTER": "last-modified-buster",
    "WEBP_PRESET": "webp-preset",
    "FORMAT_QUALITY": "format-quality", "PREFERRED_FORMATS": "preferred-formats",
    "WATERMARK_OPACITY": "watermark-opacity", "SKIP_PROCESSING_FORMATS": "skip-formats", "USER_AGENT": "user-agent",
    "ALLOWED_PROCESSING_OPTIONS": "allowed-options", "MAX_REDIRECTS": "redirects", "BASE_URL": "base-url",
    "URL_REPLACEMENTS": "url-replacements",
    "LOCAL_FILESYSTEM_ROOT": "local-root", "WATERMARK_PATH": "watermark", "WATERMARK_URL": "watermark",
    "FALLBACK_IMAGE_PATH": "fallback",
    "FALLBACK_IMAGE_URL": "fallback", "FALLBACK_IMAGE_HTTP_CODE": "fallback-status",
    "FALLBACK_IMAGE_TTL": "fallback-ttl", "S3_REGION": "s3-region", "S3_ENDPOINT": "s3-endpoint",
  ]

  /// Variables that other translations read.
  private static let handled: Set = [
    "ALLOW_PRIVATE_SOURCE_ADDRESSES", "ALLOW_LOOPBACK_SOURCE_ADDRESSES", "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES",
    "AUTO_WEBP", "AUTO_AVIF", "AUTO_JXL", "ENFORCE_WEBP", "ENFORCE_AVIF", "ENFORCE_JXL", "PRESETS", "PRESETS_PATH",
    "PRESETS_SEPARATOR", "NETWORK", "USE_S3", "USE_ETAG", "USE_LAST_MODIFIED", "PNG_QUANTIZE",
    "PNG_QUANTIZATION_COLORS",
  ]

  private static let translations: [String: Translation] = [
    "FALLBACK_IMAGE_DATA": { data throws(ConfigurationError) in [("fallback", "data:;base64," + data)] },
    "WATERMARK_DATA": { data throws(ConfigurationError) in [("watermark", "data:;base64," + data)] },
    "BIND": { address throws(ConfigurationError) in
      guard let parsed = ListeningAddress(address) else { return [("socket", address)] }
      return [("host", parsed.host), ("port", "\(parsed.port)")]
    },
    "CACHE_CONTROL_PASSTHROUGH": flag("source-cache-control"), "ONLY_PRESETS": flag("only-presets"),
    "BASE64_URL_INCLUDES_FILENAME": flag("base64-filename"), "STRIP_METADATA": flag("strip-metadata"),
    "STRIP_COLOR_PROFILE": flag("strip-color-profile"),
    "KEEP_COPYRIGHT": flag("keep-copyright"), "ENABLE_CLIENT_HINTS": flag("client-hints"),
    "JPEG_PROGRESSIVE": flag("jpeg-progressive"), "PNG_INTERLACED": flag("png-interlaced"),
    "ALWAYS_RASTERIZE_SVG": flag("rasterize-svg"),
    "SANITIZE_SVG": flag("sanitize-svg"), "SET_CANONICAL_HEADER": flag("canonical-header"),
    "ALLOW_SECURITY_OPTIONS": flag("allow-security-options"),
    "S3_ENDPOINT_USE_PATH_STYLE": flag("s3-path-style"),
    // Zero is no limit.
    "REQUESTS_QUEUE_SIZE": limit("queue"), "MAX_CLIENTS": limit("connections"),
    "MAX_SRC_FILE_SIZE": limit("max-source-bytes"), "MAX_RESULT_DIMENSION": limit("max-result-dimension"),
    "MAX_SRC_RESOLUTION": pixels("MAX_SRC_RESOLUTION", "max-source-pixels"),
    "MAX_ANIMATION_FRAME_RESOLUTION": pixels("MAX_ANIMATION_FRAME_RESOLUTION", "max-animation-frame-pixels"),
    "LOG_FORMAT": { format throws(ConfigurationError) in format == "json" ? [("log-json", "true")] : [] },
    "LOG_LEVEL": { level throws(ConfigurationError) in [("log-level", level == "warn" ? "warning" : level)] },
    // Local files and buckets have settings of their own.
    "ALLOWED_SOURCES": { sources throws(ConfigurationError) in
      let listed = sources.split(separator: ",").filter {
        !$0.trimmingCharacters(in: .whitespaces).hasPrefix("local://")
      }
      return [("sources", listed.joined(separator: ","))]
    },
  ]

  private static func flag(_ setting: String) -> Translation {
    { (text) throws(ConfigurationError) in [(setting, isTrue(text) ? "true" : "false")] }
  }

  /// Megapixels; 0 means no limit.
  private static func pixels(_ name: String, _ setting: String) -> Translation {
    { (megapixels) throws(ConfigurationError) in
      guard let value = Double(megapixels), value >= 0, value < 1e9 else {
        throw .invalidValue(setting: prefix + name, value: megapixels, expected: "megapixels")
      }
      return value > 0 ? [(setting, "\(Int(value * 1e6))")] : []
    }
  }

  private static func limit(_ setting: String) -> Translation {
    { (text) throws(ConfigurationError) in text == "0" ? [] : [(setting, text)] }
  }

  private static func formats(_ kinds: [String], _ variables: [String: String]) -> String {
    let formats = ["JXL", "AVIF", "WEBP"].filter { format in
      kinds.contains { isTrue(variables[prefix + $0 + format] ?? "") }
    }
    return formats.map { $0.lowercased() }.joined(separator: ",")
  }

  /// The presets of the variable and of the lines of a file.
  private static func presets(_ variables: [String: String]) throws(ConfigurationError) -> String {
    let separator = variables[prefix + "PRESETS_SEPARATOR"] ?? ","
    var presets = (variables[prefix + "PRESETS"] ?? "").components(separatedBy: separator)
    if let file = variables[prefix + "PRESETS_PATH"] {
      do {
        presets += try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")
      } catch {
        throw .unreadableFile(file, reason: error.localizedDescription)
      }
    }
    let trimmed = presets.map { $0.trimmingCharacters(in: .whitespaces) }
    return trimmed.filter { !$0.isEmpty && !$0.hasPrefix("#") }.joined(separator: ";")
  }
}
