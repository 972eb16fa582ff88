import Foundation
import Halcyon
import HalcyonBackend
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// A deployment of imgproxy, whose image name was changed.
@Suite(.unitTest)
struct ImgproxyVariablesTests {
  @Test func `its variables are settings`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "presets")
      try Data("# comment\nfile=w:1\n".utf8).write(to: file)
      let read = try configuration([
        "IMGPROXY_BIND": ":9000", "IMGPROXY_KEY": "736563726574", "IMGPROXY_SALT": "68656C6C6F",
        "IMGPROXY_SIGNATURE_SIZE": "16", "IMGPROXY_TRUSTED_SIGNATURES": "one,two", "IMGPROXY_TTL": "60",
        "IMGPROXY_TIMEOUT": "12", "IMGPROXY_DOWNLOAD_TIMEOUT": "4", "IMGPROXY_WORKERS": "3",
        "IMGPROXY_REQUESTS_QUEUE_SIZE": "0", "IMGPROXY_MAX_CLIENTS": "100", "IMGPROXY_QUALITY": "70",
        "IMGPROXY_FORMAT_QUALITY": "avif=50", "IMGPROXY_AUTO_WEBP": "true", "IMGPROXY_ENFORCE_AVIF": "1",
        "IMGPROXY_MAX_SRC_RESOLUTION": "16.8", "IMGPROXY_MAX_SRC_FILE_SIZE": "1000", "IMGPROXY_PATH_PREFIX": "images/",
        "IMGPROXY_BASE_URL": "https://", "IMGPROXY_URL_REPLACEMENTS": "a://*/=https://${1}.e.com/",
        "IMGPROXY_PRESETS": "small=w:10/q:5,large=w:20", "IMGPROXY_PRESETS_PATH": file.path,
        "IMGPROXY_ALLOWED_SOURCES": "https://a.example/, s3://, local://", "IMGPROXY_LOG_FORMAT": "json",
        "IMGPROXY_LOG_LEVEL": "warn", "IMGPROXY_PROMETHEUS_BIND": ":9090", "IMGPROXY_ALLOW_ORIGIN": "*",
        "IMGPROXY_FALLBACK_IMAGE_URL": "https://e.com/f.png", "IMGPROXY_FALLBACK_IMAGE_TTL": "7",
        "IMGPROXY_USE_S3": "true", "IMGPROXY_S3_REGION": "eu-central-1", "IMGPROXY_SENTRY_DSN": "x",
        "IMGPROXY_STRIP_METADATA": "false", "IMGPROXY_STRIP_COLOR_PROFILE": "0",
        "IMGPROXY_SECRET": "", "OTHER": "x",
        "IMGPROXY_ALLOWED_PROCESSING_OPTIONS": "w, h", "IMGPROXY_WATERMARK_OPACITY": "0.5",
        "IMGPROXY_SKIP_PROCESSING_FORMATS": "gif", "IMGPROXY_ENABLE_CLIENT_HINTS": "true", "IMGPROXY_USER_AGENT": "me",
        "IMGPROXY_ETAG_BUSTER": "2", "IMGPROXY_LAST_MODIFIED_BUSTER": "2026-01-02T03:04:05Z",
        "IMGPROXY_SET_CANONICAL_HEADER": "1",
        "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hidden",
      ])
      #expect(read.host == "::" && read.port == 9000 && !read.isInsecure && read.signatureByteCount == 16)
      #expect(read.keyPairs == [.init(key: Data("secret".utf8), salt: Data("hello".utf8))])
      #expect(read.trustedSignatures == ["one", "two"] && read.timeToLive == 60 && read.deadline == .seconds(12))
      #expect(read.sourceTimeout == .seconds(4) && read.concurrency == 3 && read.queueLength == 1024)
      #expect(read.clientConnections == 100 && read.quality == 70 && read.formatQuality[.avif] == 50)
      #expect(read.automaticFormats == [.avif, .webp] && read.limits.pixelCount == 16_800_000)
      #expect(read.limits.encodedByteCount == 1000 && read.pathPrefix == "/images")
      #expect(read.sourceRewriting.applied(to: "a://b/c") == "https://b.e.com/c")
      #expect(read.presets == ["small": ["w:10", "q:5"], "large": ["w:20"], "file": ["w:1"]])
      #expect(read.allowedSources.count == 3 && read.logsJSON && read.logLevel == "warning")
      #expect(read.metricsAddress == ListeningAddress(host: "::", port: 9090) && read.allowedOrigins == ["*"])
      #expect(
        read.fallback?.host() == "e.com" && read.fallbackTimeToLive == 7 && read.storage?.region == "eu-central-1")
      #expect(read.enforcedFormats == [.avif] && read.allowedOptions == ["w", "h"] && read.watermarkOpacity == 0.5)
      #expect(read.skippedFormats == [.gif] && read.usesClientHints && read.userAgent == "me")
      #expect(read.storage?.credentials?.accessKeyID == "id")
      #expect(read.entityTagBuster == "2" && read.sendsCanonicalLink)
      #expect(read.earliestModification == Date(timeIntervalSince1970: 1_767_323_045))
      #expect(
        try configuration(["IMGPROXY_FALLBACK_IMAGE_DATA": "AAAA"]).fallback?.absoluteString == "data:;base64,AAAA")
      #expect(!read.stripsMetadata && !read.stripsColorProfile && read.ignoredVariables == ["IMGPROXY_SENTRY_DSN"])
    }
  }

  @Test func `its variables of animations, encoders and SVG are settings`() throws {
    let read = try configuration([
      "IMGPROXY_MAX_ANIMATION_FRAMES": "60", "IMGPROXY_MAX_ANIMATION_FRAME_RESOLUTION": "0.5",
      "IMGPROXY_JPEG_PROGRESSIVE": "true", "IMGPROXY_WEBP_EFFORT": "6", "IMGPROXY_AVIF_SPEED": "5",
      "IMGPROXY_JXL_EFFORT": "7", "IMGPROXY_ALWAYS_RASTERIZE_SVG": "1", "IMGPROXY_SANITIZE_SVG": "false",
    ])
    #expect(read.animationFrameLimit == 60 && read.animationPixelLimit == 500_000)
    #expect(read.encoders.isJPEGProgressive && read.encoders.webPEffort == 6)
    #expect(read.encoders.avifSpeed == 5 && read.encoders.jpegXLEffort == 7)
    let colors = ["IMGPROXY_PNG_INTERLACED": "1", "IMGPROXY_PNG_QUANTIZE": "t", "IMGPROXY_WEBP_PRESET": "drawing"]
    let indexed = try configuration(colors)
    #expect(indexed.encoders.isPNGInterlaced && indexed.pngColorLimit == 256 && indexed.encoders.webPPreset == .drawing)
    let few = try configuration(["IMGPROXY_PNG_QUANTIZE": "true", "IMGPROXY_PNG_QUANTIZATION_COLORS": "16"])
    #expect(few.pngColorLimit == 16 && few.ignoredVariables.isEmpty)
    // Without quantisation the number has no effect.
    #expect(try configuration(["IMGPROXY_PNG_QUANTIZATION_COLORS": "16"]).pngColorLimit == nil)
    #expect(read.drawsSVG && !read.sanitizesSVG && read.ignoredVariables.isEmpty)
    let plain = try configuration(["IMGPROXY_QUALITY": "70"])
    #expect(plain.animationFrameLimit == 1 && plain.sanitizesSVG && !plain.drawsSVG)
    let wrong = [
      ["IMGPROXY_AVIF_SPEED": "11"], ["IMGPROXY_WEBP_PRESET": "movie"],
      ["IMGPROXY_PNG_QUANTIZE": "1", "IMGPROXY_PNG_QUANTIZATION_COLORS": "257"],
    ]
    for variables in wrong { #expect(throws: ConfigurationError.self) { try configuration(variables) } }
  }

  @Test func `without a key URLs need no signature, and private addresses may be connected to`() throws {
    let read = try configuration(["IMGPROXY_QUALITY": "70"])
    #expect(read.isInsecure && read.addressPolicy.allowed.contains { "\($0)".hasPrefix("10.0.0.0") })
    let strict = try configuration(["IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES": "false"])
    #expect(strict.addressPolicy == .publicInternetOnly)
    // This machine and its network's metadata only where variables say so.
    func allows(_ range: String, _ read: ServiceConfiguration) -> Bool {
      read.addressPolicy.allowed.contains { "\($0)".hasPrefix(range) }
    }
    #expect(!allows("127.0.0.0", read) && !allows("169.254.0.0", read))
    #expect(try allows("127.0.0.0", configuration(["IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true"])))
    #expect(try allows("169.254.0.0", configuration(["IMGPROXY_ALLOW_LINK_LOCAL_SOURCE_ADDRESSES": "true"])))
    // The address alone says nothing.
    #expect(throws: ConfigurationError.unsigned) { try configuration(["IMGPROXY_BIND": ":1"]) }
  }

  @Test func `settings of the service override them`() throws {
    let environment = ["IMGPROXY_QUALITY": "70", "IMGPROXY_TTL": "1", "HALCYON_SERVE_QUALITY": "60"]
    let read = try configuration(environment, ["--ttl", "2"])
    #expect(read.quality == 60 && read.timeToLive == 2)
    #expect(try configuration(["IMGPROXY_PRESETS": "a=w:1"], ["--presets", "b=w:2"]).presets == ["b": ["w:2"]])
    #expect(throws: ConfigurationError.self) { try configuration(["IMGPROXY_QUALITY": "x"]) }
    #expect(
      try configuration(["IMGPROXY_NETWORK": "unix", "IMGPROXY_BIND": "/run/a.sock"], ["--insecure"]).socketPath
        == "/run/a.sock")
  }

  @Test func `old names of variables have the effect of the new ones, which override them`() throws {
    let old = try configuration([
      "IMGPROXY_ENABLE_WEBP_DETECTION": "true", "IMGPROXY_ENABLE_AVIF_DETECTION": "1", "IMGPROXY_CONCURRENCY": "3",
      "IMGPROXY_WRITE_TIMEOUT": "7", "IMGPROXY_READ_TIMEOUT": "8",
    ])
    #expect(old.automaticFormats == [.avif, .webp] && old.concurrency == 3 && old.deadline == .seconds(7))
    #expect(old.readTimeout == .seconds(8) && old.ignoredVariables.isEmpty)
    let both = ["IMGPROXY_ENABLE_WEBP_DETECTION": "true", "IMGPROXY_AUTO_WEBP": "false", "IMGPROXY_WRITE_TIMEOUT": "5"]
    let new = try configuration(both.merging(["IMGPROXY_TIMEOUT": "9", "IMGPROXY_WRITE_RESPONSE_TIMEOUT": "4"]) { $1 })
    #expect(new.automaticFormats.isEmpty && new.deadline == .seconds(9) && new.writeTimeout == .seconds(4))
  }

  @Test func `a source has at most half of the deadline, unless a variable says so`() throws {
    #expect(try configuration(["IMGPROXY_TIMEOUT": "10"]).sourceTimeout == .seconds(5))
    #expect(try configuration(["IMGPROXY_TIMEOUT": "100"]).sourceTimeout == .seconds(15))
    #expect(try configuration(["IMGPROXY_QUALITY": "80"]).sourceTimeout == .seconds(15))
    let set = ["IMGPROXY_TIMEOUT": "10", "IMGPROXY_DOWNLOAD_TIMEOUT": "9"]
    #expect(try configuration(set).sourceTimeout == .seconds(9))
  }

  @Test func `values that imgproxy accepts are accepted`() throws {
    let read = try configuration([
      "IMGPROXY_SKIP_PROCESSING_FORMATS": "mp4,svg,pdf", "IMGPROXY_PREFERRED_FORMATS": "tiff,webp",
      "IMGPROXY_ALLOW_ORIGIN": "https://a.example,https://b.example", "IMGPROXY_MAX_REDIRECTS": "30",
      "IMGPROXY_MAX_ANIMATION_FRAMES": "0", "IMGPROXY_RETURN_ATTACHMENT": "true", "IMGPROXY_TTL": "50",
      "IMGPROXY_FALLBACK_IMAGE_TTL": "0", "IMGPROXY_LOG_FORMAT": "gcp", "IMGPROXY_MAX_CHAINED_PIPELINES": "2",
      "IMGPROXY_MAX_SRC_RESOLUTION": "0", "IMGPROXY_PATH_PREFIX": "/",
    ])
    #expect(read.limits.pixelCount == 50_000_000)
    #expect(read.pathPrefix.isEmpty)
    #expect(read.skippedFormats.contains(.svg) && read.preferredFormats.contains(.webp) && read.redirectLimit == 30)
    #expect(read.allowedOrigins.count == 2 && read.animationFrameLimit == 1 && read.returnsAttachment)
    #expect(read.fallbackTimeToLive == 50 && read.logsJSON && read.ignoredVariables.isEmpty)
    let presets = ["IMGPROXY_PRESETS": "a=w:1|b=w:2", "IMGPROXY_PRESETS_SEPARATOR": "|"]
    #expect(try configuration(presets).presets == ["a": ["w:1"], "b": ["w:2"]])
    // The best format comes first, whatever variable names it.
    let formats = ["IMGPROXY_AUTO_WEBP": "1", "IMGPROXY_AUTO_AVIF": "1", "IMGPROXY_ENFORCE_JXL": "1"]
    #expect(try configuration(formats).automaticFormats == [.jpegXL, .avif, .webp])
    let metrics = ["IMGPROXY_PROMETHEUS_BIND": ":9090"]
    #expect(try configuration(metrics).imgproxyMetrics == "")
    let named = metrics.merging(["IMGPROXY_PROMETHEUS_NAMESPACE": "images"]) { $1 }
    #expect(try configuration(named).imgproxyMetrics == "images")
    let foreign = try configuration(["IMGPROXY_SKIP_PROCESSING_FORMATS": "mp4"])
    #expect(foreign.skippedFormats.isEmpty)
    #expect(throws: ConfigurationError.self) { try configuration(["IMGPROXY_PREFERRED_FORMATS": "webp,wepb"]) }
  }

  @Test func `the bucket is in the path of an endpoint, unless a variable says otherwise`() throws {
    let variables = ["IMGPROXY_USE_S3": "1", "IMGPROXY_S3_ENDPOINT": "minio:9000"]
    let storage = try #require(try configuration(variables).storage)
    #expect(storage.addressing == .path && storage.endpoint.absoluteString == "http://minio:9000")
    let host = variables.merging(["IMGPROXY_S3_ENDPOINT_USE_PATH_STYLE": "false"]) { $1 }
    #expect(try configuration(host).storage?.addressing == .virtualHost)
    #expect(try configuration(["IMGPROXY_USE_S3": "1"]).storage?.addressing == .virtualHost)
  }
}
