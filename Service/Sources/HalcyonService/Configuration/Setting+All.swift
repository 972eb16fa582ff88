import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonBackend
import HalcyonCodecs
@_spi(Programs) import HalcyonImaging

extension Setting {
  /// All settings, in the order of the help.
  static let all: [Setting] = access + urls + sources + caching + shared + results + load

  private static let access: [Setting] = [
    text("host", "ADDRESS", \.configuration.host, "The address to listen on."),
    number("port", \.port, in: 0...65_535, "The port to listen on; 0 is any free port."),
    Setting("socket", "PATH", "The Unix domain socket to listen on, in place of a host and a port.") {
      (text, settings) throws(ConfigurationError) in
      settings.configuration.socketPath = text.isEmpty ? nil : text
    } value: {
      $0.configuration.socketPath ?? ""
    },
    Setting("metrics-address", "HOST:PORT", "Serve /metrics here only, with /health and /ready.") {
      (text, settings) throws(ConfigurationError) in
      guard let address = ListeningAddress(text) else {
        throw .invalidValue(setting: "metrics-address", value: text, expected: "HOST:PORT, such as 10.0.0.5:9090")
      }
      settings.configuration.metricsAddress = address
    } value: {
      $0.configuration.metricsAddress?.description ?? ""
    },
    Setting(
      "imgproxy-metrics", "PREFIX",
      "Also serve metrics under the names of imgproxy, with a prefix such as imgproxy, or none for no prefix."
    ) { (text, settings) throws(ConfigurationError) in
      guard !text.isEmpty, text.utf8.allSatisfy({ (97...122).contains($0) || (65...90).contains($0) || $0 == 95 })
      else {
        throw .invalidValue(setting: "imgproxy-metrics", value: text, expected: "letters and underscores, or none")
      }
      settings.configuration.imgproxyMetrics = text == "none" ? "" : text
    } value: {
      $0.configuration.imgproxyMetrics.map { $0.isEmpty ? "none" : $0 } ?? ""
    },
    list(
      "keys", "HEX,…", \.keys, "The keys that sign URLs; the others are accepted while keys are replaced.",
      isSecret: true, expected: "hexadecimal digits", element: Data.init(hexadecimal:), text: { "\($0)" }),
    list(
      "salts", "HEX,…", \.salts, "One salt for each key.", isSecret: true, expected: "hexadecimal digits",
      element: Data.init(hexadecimal:), text: { "\($0)" }),
    number("signature-size", \.signatureByteCount, in: 8...32, "The bytes of a signature."),
    flag("insecure", \.configuration.isInsecure, "Accept URLs without a signature."),
    list(
      "allow-origin", "ORIGIN,…", \.configuration.allowedOrigins,
      "The origins whose pages may read images in scripts and canvases; * is all.",
      expected: "* or origins such as https://example.com",
      element: { $0.utf8.allSatisfy { (33...126).contains($0) } && !$0.isEmpty ? $0 : nil }, text: { $0 }),
  ]

  private static let caching: [Setting] = [
    path("cache", \.cacheDirectory, isFolder: true, "The folder of the disk cache."),
    number("cache-size", \.cacheByteCount, in: 0...Int.max, "The most bytes on disk."),
    number("memory-size", \.memoryByteCount, in: 0...Int.max, "The most bytes of results in memory."),
    flag(
      "return-attachment", \.configuration.returnsAttachment,
      "Let browsers save results instead of showing them, unless a URL says otherwise."),
    Setting(
      "ttl", "N",
      "How long clients may cache a result, in seconds; by default as long as its source is known to be fresh."
    ) { (text, settings) throws(ConfigurationError) in
      guard let seconds = Int(text), seconds >= 0 else {
        throw .invalidValue(setting: "ttl", value: text, expected: "a whole number from 0")
      }
      settings.configuration.timeToLive = seconds
    } value: {
      $0.configuration.timeToLive.map { "\($0)" } ?? ""
    },
    number(
      "source-ttl", \.sourceTimeToLive, in: 0...31_536_000,
      "For how many seconds a source is fresh that does not say so itself; 0 revalidates it for each result."),
    flag(
      "client-no-cache", \.configuration.allowsNoCache,
      "Revalidate a source for a client whose request has Cache-Control: no-cache."),
    flag(
      "source-cache-control", \.configuration.passesCacheControl,
      "Send the Cache-Control and Expires of the source instead of ttl."),
  ]

  private static let shared: [Setting] = [
    list(
      "memcached", "HOST:PORT,…", \.configuration.memcachedServers,
      "The memcached servers that all nodes share, in the same order for all of them.",
      expected: "addresses such as 10.0.0.5:11211", element: { MemcachedServer($0) }, text: { "\($0)" }),
    name(
      "memcached-namespace", \.memcached.namespace, length: 1...64,
      "Separates the entries of services that share memcached servers."),
    milliseconds("memcached-timeout", \.memcached.timeout, "The longest time for a call of memcached."),
    number(
      "memcached-item-size", \.memcached.itemByteLimit, in: 1024...(1 << 30),
      "The most bytes of an entry in memcached, below the -I of its servers."),
    Setting("s3-results", "BUCKET", "The bucket of the storage in which all nodes keep results for good.") {
      (text, settings) throws(ConfigurationError) in
      settings.configuration.resultsBucket = text.isEmpty ? nil : text
    } value: {
      $0.configuration.resultsBucket ?? ""
    },
    name(
      "s3-results-prefix", \.results.prefix, length: 0...512, allowsSlash: true,
      "The prefix of all keys in the bucket of results."),
    flag("s3-results-originals", \.configuration.results.storesOriginals, "Keep the sources in that bucket as well."),
    milliseconds("s3-results-budget", \.resultsBudget, "The longest time for a look-up in that bucket."),
  ]

  private static let results: [Setting] = [
    number("quality", \.quality, in: 1...100, "The quality of lossy formats, in percent."),
    Setting("format-quality", "FORMAT=N,…", "The quality of single formats.") {
      (text, settings) throws(ConfigurationError) in
      for part in text.split(separator: ",") {
        let sides = part.split(separator: "=").map { $0.trimmingCharacters(in: .whitespaces) }
        guard sides.count == 2, let format = ImageFormat(fileExtension: sides[0]), let quality = Int(sides[1]),
          (1...100).contains(quality)
        else { throw .invalidValue(setting: "format-quality", value: String(part), expected: "pairs such as webp=79") }
        settings.configuration.formatQuality[format] = quality
      }
    } value: {
      $0.configuration.formatQuality.map { "\($0.rawValue)=\($1)" }.sorted().joined(separator: ",")
    },
    flag("jpeg-progressive", \.configuration.encoders.isJPEGProgressive, "Write progressive JPEG."),
    flag("png-interlaced", \.configuration.encoders.isPNGInterlaced, "Write interlaced PNG."),
    Setting(
      "png-colors", "N",
      "The most colours of PNG, from 2 to 256; more are dithered. Without it only sources with a table have one."
    ) {
      (text, settings) throws(ConfigurationError) in
      guard text.isEmpty || (2...256).contains(Int(text) ?? 0) else {
        throw .invalidValue(setting: "png-colors", value: text, expected: "a whole number from 2 to 256, or nothing")
      }
      settings.configuration.pngColorLimit = Int(text)
    } value: {
      $0.configuration.pngColorLimit.map(String.init) ?? ""
    },
    Setting("webp-preset", "NAME", "What WebP shows: default, photo, picture, drawing, icon or text.") {
      (text, settings) throws(ConfigurationError) in
      guard let preset = EncoderSettings.WebPPreset(rawValue: text) else {
        throw .invalidValue(
          setting: "webp-preset", value: text, expected: "default, photo, picture, drawing, icon or text")
      }
      settings.configuration.encoders.webPPreset = preset
    } value: {
      $0.configuration.encoders.webPPreset.rawValue
    },
    number("webp-effort", \.encoders.webPEffort, in: 0...6, "The effort for WebP, from 0 (fastest) to 6 (smallest)."),
    number("avif-speed", \.encoders.avifSpeed, in: 0...10, "The speed for AVIF, from 0 (smallest) to 10 (fastest)."),
    number(
      "jxl-effort", \.encoders.jpegXLEffort, in: 1...9, "The effort for JPEG XL, from 1 (fastest) to 9 (smallest)."),
    list(
      "auto-formats", "FORMAT,…", \.configuration.automaticFormats,
      "Formats to choose by Accept where a URL names none, the best first: avif,webp,jxl.",
      expected: "avif, webp or jxl",
      element: { ImageFormat(fileExtension: $0).flatMap { $0.abilities.isNegotiated ? $0 : nil } },
      text: { $0.rawValue }),
    list(
      "enforce-formats", "FORMAT,…", \.enforcedFormats,
      "Formats of auto-formats that override the format of a URL, for clients that accept them.",
      expected: "avif, webp or jxl",
      element: { ImageFormat(fileExtension: $0).flatMap { $0.abilities.isNegotiated ? $0 : nil } },
      text: { $0.rawValue }),
    text(
      "etag-buster", "TEXT", \.configuration.entityTagBuster,
      "A text that changes the ETag of all results, so that clients fetch them again."),
    Setting("last-modified-buster", "DATE", "Replaces an earlier Last-Modified of sources: 2026-11-25T10:00:00Z.") {
      (text, settings) throws(ConfigurationError) in
      guard let date = try? Date(text, strategy: .iso8601) else {
        throw .invalidValue(
          setting: "last-modified-buster", value: text, expected: "a date such as 2026-11-25T10:00:00Z")
      }
      settings.configuration.earliestModification = date
    } value: {
      $0.configuration.earliestModification?.formatted(.iso8601) ?? ""
    },
    flag(
      "canonical-header", \.configuration.sendsCanonicalLink,
      "Name the URL of a source on the web in the header field Link, as canonical."),
    flag(
      "client-hints", \.configuration.usesClientHints,
      "Take the width and the dpr from the client where a URL has none."),
    list(
      "skip-formats", "FORMAT,…", \.skippedFormats, "Formats of sources that are sent as they are.",
      expected: "formats such as gif and svg", element: { ImageFormat(fileExtension: $0) }, text: { $0.rawValue }),
    list(
      "preferred-formats", "FORMAT,…", \.configuration.preferredFormats,
      "Formats of results where a URL names none and Accept chooses none; a source in one of them keeps its format.",
      expected: "formats such as jpg, png, gif and webp", element: { ImageFormat(fileExtension: $0) },
      text: { $0.rawValue }),
    flag("rasterize-svg", \.configuration.drawsSVG, "Draw SVG also where a URL names no format."),
    flag("sanitize-svg", \.configuration.sanitizesSVG, "Send SVG without scripts and references to anything outside."),
    flag("send-svg", \.configuration.sendsSVG, "Send SVG as it is where a URL says raw:1, instead of refusing."),
    Setting("presets", "NAME=OPTIONS;…", "Options by name, such as small=rs:fit:200:200/q:70;sharp=sh:1.") {
      (text, settings) throws(ConfigurationError) in
      settings.configuration.presets = [:]
      for part in text.split(separator: ";") {
        let sides = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard sides.count == 2, !sides[0].isEmpty else {
          throw .invalidValue(setting: "presets", value: String(part), expected: "NAME=OPTION/OPTION")
        }
        settings.configuration.presets[sides[0]] = sides[1].split(separator: "/").map(String.init)
      }
    } value: {
      $0.configuration.presets.map { "\($0)=\($1.joined(separator: "/"))" }.sorted().joined(separator: ";")
    },
    list(
      "allowed-options", "NAME,…", \.allowedOptions,
      "The options that URLs may have, with their short names; empty is all.",
      expected: "names such as w and rs", element: { $0.isEmpty ? nil : $0 }, text: { $0 }),
    flag("only-presets", \.configuration.acceptsPresetsOnly, "Accept presets and no other options."),
    file("watermark", \.watermark, "The image that the watermark option draws."),
    Setting("watermark-opacity", "N", "A factor of the opacity of watermarks, above 0 and at most 1.") {
      (text, settings) throws(ConfigurationError) in
      guard let opacity = Double(text), opacity > 0, opacity <= 1 else {
        throw .invalidValue(setting: "watermark-opacity", value: text, expected: "a number above 0 and at most 1")
      }
      settings.configuration.watermarkOpacity = opacity
    } value: {
      "\($0.configuration.watermarkOpacity)"
    },
    flag(
      "auto-rotate", \.configuration.autoRotates, "Apply the orientation of sources, unless a URL says otherwise."),
    flag(
      "strip-metadata", \.configuration.stripsMetadata,
      "Leave out the metadata of sources, unless a URL says otherwise."
    ),
    flag(
      "strip-color-profile", \.configuration.stripsColorProfile,
      "Make results of sources with wide colours in sRGB instead of Display P3, unless a URL says otherwise."
    ),
    flag(
      "preserve-hdr", \.configuration.preservesHDR,
      "Keep high dynamic range in jpeg, png, avif and jxl, unless a URL says otherwise."),
    flag("keep-copyright", \.configuration.keepsCopyright, "Keep artist and copyright nevertheless."),
    flag(
      "error-details", \.configuration.showsErrorDetails,
      "Send what only the log has otherwise, such as URLs of sources, in error responses; for development."),
    flag(
      "report-source-errors", \.configuration.reportsSourceErrors,
      "Log requests whose source cannot be fetched or read as warnings and errors."),
    file("fallback", \.fallback, "The image that is sent in place of a source that cannot be read."),
    Setting("fallback-status", "N", "The status of responses with the fallback image; 0 is the error's status.") {
      (text, settings) throws(ConfigurationError) in
      guard let status = Int(text), status == 0 || (200...599).contains(status), ![204, 206, 304].contains(status)
      else {
        throw .invalidValue(setting: "fallback-status", value: text, expected: "0, or a status with a body, 200 to 599")
      }
      settings.configuration.fallbackStatus = status
    } value: {
      "\($0.configuration.fallbackStatus)"
    },
    Setting("fallback-for", "N,…", "The statuses of errors that the fallback image stands in for; empty is all.") {
      (text, settings) throws(ConfigurationError) in
      let statuses = text.split(separator: ",").map { Int($0.trimmingCharacters(in: .whitespaces)) ?? 0 }
      guard statuses.allSatisfy((400...599).contains) else {
        throw .invalidValue(setting: "fallback-for", value: text, expected: "statuses such as 404,502,504")
      }
      settings.configuration.fallbackForStatuses = Set(statuses)
    } value: {
      $0.configuration.fallbackForStatuses.sorted().map { "\($0)" }.joined(separator: ",")
    },
    number(
      "fallback-ttl", \.fallbackTimeToLive, in: 0...Int.max,
      "How long clients may cache the fallback image, in seconds."
    ),
  ]

  private static let load: [Setting] = [
    number("max-source-bytes", \.limits.encodedByteCount, in: 1...Int.max, "The most bytes of a source."),
    number("max-source-pixels", \.limits.pixelCount, in: 1...Int.max, "The most pixels of a source."),
    number(
      "max-animation-frames", \.animationFrameLimit, in: 1...1_000_000,
      "The most frames of results in GIF, WebP and AVIF; later ones are left out."),
    number(
      "max-animation-frame-pixels", \.animationPixelLimit, in: 0...Int.max,
      "The most pixels of a frame of an animation; 0 limits all of its frames together, to max-source-pixels."),
    number("max-side", \.resultSideLimit, in: 1...32_768, "The longest side of a result in pixels; others are errors."),
    number(
      "max-result-dimension", \.resultDimension, in: 0...32_768,
      "The side in pixels to which larger results are scaled down; 0 is none."),
    number(
      "max-avif-pixels", \.slowFormatPixelLimit, in: 1...Int.max,
      "The most pixels of a result in AVIF and JPEG XL, whose encoders cannot be stopped; larger ones get another format."
    ),
    flag(
      "allow-security-options", \.configuration.allowsSecurityOptions,
      "Accept options that change limits, such as max_src_resolution and max_result_dimension."),
    seconds("deadline", \.deadline, in: 0.1...3600, "The longest time for a request."),
    Setting(
      "source-timeout", "SECONDS",
      "The longest time for a source, at most half of the deadline by default; then the fallback image is sent, or 504."
    ) { (text, settings) throws(ConfigurationError) in
      guard let seconds = Double(text), (0.1...3600).contains(seconds) else {
        throw .invalidValue(setting: "source-timeout", value: text, expected: "seconds from 0.1 to 3600")
      }
      settings.sourceTimeout = .seconds(seconds)
    } value: {
      "\($0.effectiveSourceTimeout / .seconds(1))"
    },
    seconds("read-timeout", \.readTimeout, in: 0.1...3600, "The longest time for the head of a request."),
    seconds("write-timeout", \.writeTimeout, in: 0.1...86_400, "The longest time in which a client reads a response."),
    seconds(
      "keep-alive-timeout", \.keepAliveTimeout, in: 0.1...86_400,
      "The longest time for which a connection without requests stays open."),
    seconds(
      "drain", \.drain, in: 0...3600,
      "How long /ready responds with 503 after SIGTERM, while connections are still accepted."),
    Setting("connections", "N", "The most connections of clients; by default as many as file descriptors allow.") {
      (text, settings) throws(ConfigurationError) in
      guard let count = Int(text), count > 0 else {
        throw .invalidValue(setting: "connections", value: text, expected: "a whole number above 0")
      }
      settings.configuration.clientConnections = count
    } value: {
      $0.configuration.clientConnections.map { "\($0)" } ?? ""
    },
    number(
      "working-memory", \.workingByteCount, in: 1...Int.max,
      "The most bytes of images that are decoded, processed and encoded at the same time; others wait."),
    number(
      "concurrency", \.concurrency, in: 1...10_000,
      "The most images decoded, processed and encoded at the same time; by default one for each processor."),
    number(
      "queue", \.queueLength, in: 1...1_000_000,
      "The most images that wait for one host, and for a decoder; beyond them requests get the status 429."),
    flag(
      "gallery", \.configuration.showsGallery, "Show a web page with the images of local-root at /; needs insecure."),
    Setting("purge-token", "TEXT", "The token for DELETE /cache/plain/URL, which removes all results of a source.") {
      (text, settings) throws(ConfigurationError) in
      settings.configuration.purgeToken = text.isEmpty ? nil : text
    } value: {
      $0.configuration.purgeToken == nil ? "" : "(secret)"
    },
    list(
      "purge-nodes", "URL,…", \.configuration.purgeNodes,
      "The nodes that get the purges of this one as well; they need the same purge-token, and may include this one.",
      expected: "URLs without a path, such as http://10.0.0.12:8080", element: URL.init(node:),
      text: { $0.absoluteString }),
    list(
      "trusted-proxies", "CIDR,…", \.configuration.trustedProxies,
      "The proxies whose X-Forwarded-For says who the client is, for the log.",
      expected: "a range such as 10.20.0.0/16", element: { AddressRange($0) }, text: { "\($0)" }),
    Setting("log-level", "LEVEL", "trace, debug, info, notice, warning, error or critical.") {
      (text, settings) throws(ConfigurationError) in
      let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
      guard levels.contains(text.lowercased()) else {
        throw .invalidValue(setting: "log-level", value: text, expected: levels.joined(separator: ", "))
      }
      settings.configuration.logLevel = text.lowercased()
    } value: {
      $0.configuration.logLevel
    },
    flag("log-json", \.configuration.logsJSON, "Log one JSON object per line."),
  ]
}

extension URL {
  /// The URL of a node: a scheme, a host and usually a port.
  init?(node text: String) {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
      url.user() == nil, url.query() == nil, url.fragment() == nil, ["", "/"].contains(url.path())
    else { return nil }
    self = url
  }
}

extension Data {
  /// The bytes of hexadecimal digits, at least one.
  init?(hexadecimal text: String) {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, !digits.isEmpty, digits.count % 2 == 0 else { return nil }
    self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
  }
}
