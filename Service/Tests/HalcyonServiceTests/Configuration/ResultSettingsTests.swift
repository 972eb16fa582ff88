import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Which settings change results: these are in their cache keys, so that no result of other settings is sent.
@Suite(.unitTest)
struct ResultSettingsTests {
  /// Each with a value other than the default.
  private static let changing: KeyValuePairs = [
    "quality": "33", "format-quality": "webp=33", "jpeg-progressive": "true", "png-interlaced": "true",
    "png-colors": "33", "webp-preset": "photo", "webp-effort": "1", "avif-speed": "1", "jxl-effort": "1",
    "enforce-formats": "webp", "skip-formats": "gif", "preferred-formats": "webp", "rasterize-svg": "true",
    "sanitize-svg": "false", "watermark-opacity": "0.5", "auto-rotate": "false", "strip-metadata": "false",
    "strip-color-profile": "false", "preserve-hdr": "true", "keep-copyright": "false", "max-animation-frames": "33",
    "max-result-dimension": "33", "max-avif-pixels": "33",
  ]

  /// Those that change no result, or that are in its key otherwise: its source, its options, and the formats that its
  /// client accepts. Limits refuse results, and change none.
  private static let others: Set = [
    "source-encryption-key", "host", "port", "socket", "metrics-address", "imgproxy-metrics", "keys", "salts",
    "signature-size", "insecure",
    "allow-origin", "trusted-signatures", "secret", "path-prefix", "health-path", "base-url", "url-replacements",
    "base64-filename", "sources", "any-address", "allowed-addresses", "redirect-sources", "user-agent", "redirects",
    "source-connections",
    "source-connections-per-host", "local-root", "s3-region", "s3-endpoint", "s3-path-style", "s3-buckets",
    "s3-denied-buckets", "s3-access-key", "s3-secret-key", "s3-instance-role", "s3-session-token", "cache",
    "cache-size",
    "memory-size", "return-attachment", "ttl", "source-ttl", "client-no-cache", "source-cache-control", "memcached",
    "memcached-namespace", "memcached-timeout", "memcached-item-size", "s3-results", "s3-results-prefix",
    "s3-results-originals", "s3-results-budget", "auto-formats", "etag-buster", "last-modified-buster",
    "canonical-header", "client-hints", "send-svg", "presets", "allowed-options", "only-presets", "error-details",
    "report-source-errors", "fallback", "fallback-status", "fallback-for", "fallback-ttl", "max-source-bytes",
    "max-source-pixels", "max-animation-frame-pixels", "max-side", "allow-security-options", "deadline",
    "source-timeout", "read-timeout", "write-timeout", "keep-alive-timeout", "drain", "connections", "working-memory",
    "concurrency", "queue", "gallery", "purge-token", "purge-nodes", "trusted-proxies", "log-level", "log-json",
    // Its pixels are in the key.
    "watermark",
  ]

  @Test func `every setting changes results and their keys, or is listed as one that does not`() throws {
    let listed = Self.changing.map(\.key) + Self.others
    #expect(Set(listed) == Set(Setting.all.map(\.name)) && listed.count == Setting.all.count)
    var settings = Settings()
    settings.configuration.isInsecure = true
    let key = ImageMaker.settingsIdentifier(try settings.checked(), nil)
    for (name, value) in Self.changing {
      var changed = settings
      let setting = try #require(Setting.all.first { $0.name == name })
      try setting.parse(value, &changed)
      #expect(ImageMaker.settingsIdentifier(try changed.checked(), nil) != key, "\(name)")
    }
    let mark = try Quadrants.bitmap()
    #expect(ImageMaker.settingsIdentifier(try settings.checked(), mark) != key)
  }

  @Test func `a setting changes its own value, no other one, and shows no secret`() throws {
    // Each setting accepts one of them at least, and not as its default.
    let texts = [
      "true", "false", "5", "6", "16", "404", "2000", "0.5", String(repeating: "0a", count: 16), "webp", "webp=33",
      "photo", "error", ":9090", "10.0.0.0/8", "https://a.example", "2026-01-02T03:04:05Z",
    ]
    let secrets: Set = [
      "keys", "salts", "trusted-signatures", "secret", "source-encryption-key", "s3-access-key", "s3-secret-key",
      "s3-session-token", "purge-token",
    ]
    var settings = Settings()
    // Otherwise it depends on the deadline.
    settings.sourceTimeout = .seconds(1)
    let (before, values) = (settings, Setting.all.map { $0.value(settings) })
    for (setting, value) in zip(Setting.all, values) {
      let changes = texts.compactMap { text -> Settings? in
        var changed = before
        guard (try? setting.parse(text, &changed)) != nil, setting.value(changed) != value else { return nil }
        return changed
      }
      let changed = try #require(changes.first, "\(setting.name)")
      let names = zip(Setting.all, values).filter { $0.value(changed) != $1 }.map { $0.0.name }
      #expect(names == [setting.name])
      #expect((setting.value(changed) == "(secret)") == secrets.contains(setting.name), "\(setting.name)")
    }
  }

  /// The preferred formats, whether the result is transparent, and its format.
  @Test(
    arguments: [
      ([.tiff, .webp, .png], false, .webp), ([.jpeg, .png], true, .png), ([.jpeg], true, .jpeg), ([.tiff], true, .png),
      ([], false, .jpeg),
    ] as [([ImageFormat], Bool, ImageFormat)])
  func `a result has the first preferred format that is written and fits, or else the first that is written`(
    preferred: [ImageFormat], isTransparent: Bool, expected: ImageFormat
  ) {
    let rules = FormatRules(automatic: [], enforced: [], preferred: preferred, writable: [.jpeg, .png, .webp])
    let source = ImageInfo(format: .tiff, storedSize: PixelSize(width: 1, height: 1))
    #expect(rules.format(of: source, isAnimated: false, isTransparent: isTransparent) == expected)
  }

  @Test func `a process that may open too few files does not start`() throws {
    let configuration = ServiceConfiguration()
    try configuration.checkFiles(descriptorLimit: 128)
    #expect(throws: ConfigurationError.tooFewDescriptors(127)) { try configuration.checkFiles(descriptorLimit: 127) }
  }
}
