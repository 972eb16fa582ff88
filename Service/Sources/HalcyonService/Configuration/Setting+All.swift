import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonBackend
import HalcyonCodecs
import Logging
@_spi(Programs) import HalcyonImaging

extension Setting {
  /// All settings, in the order of the help.
  static let all: [Setting] = access + urls + sources + caching + shared + results + load

  private static let access: [Setting] = [
    text("host", "ADDRESS", \.configuration.host, "The address to listen on."),
    number("port", \.configuration.port, in: 0...65_535, "The port to listen on; 0 is any free port."),
    text(
      "socket", "PATH", \.configuration.socketPath,
      "The Unix domain socket to listen on, in place of a host and a port."),
    optional(
      "metrics-address", "HOST:PORT", \.configuration.metricsAddress,
      "Serve /metrics here only, with /health and /ready.", expected: "HOST:PORT, such as 10.0.0.5:9090",
      read: { ListeningAddress($0) }, text: { $0.description }),
    optional(
      "imgproxy-metrics", "PREFIX", \.configuration.imgproxyMetrics,
      "Also serve metrics under the names of imgproxy, with a prefix such as imgproxy, or none for no prefix.",
      expected: "letters and underscores, or none"
    ) { text in
      let isValid = text.utf8.allSatisfy { (97...122).contains($0) || (65...90).contains($0) || $0 == 95 }
      return text.isEmpty || !isValid ? nil : text == "none" ? "" : text
    } text: {
      $0.isEmpty ? "none" : $0
    },
    list(
      "keys", "HEX,…", \.keys, "The keys that sign URLs; the others are accepted while keys are replaced.",
      isSecret: true, expected: "hexadecimal digits", element: Data.init(hexadecimal:), text: { "\($0)" }),
    list(
      "salts", "HEX,…", \.salts, "One salt for each key.", isSecret: true, expected: "hexadecimal digits",
      element: Data.init(hexadecimal:), text: { "\($0)" }),
    number("signature-size", \.configuration.signatureByteCount, in: 8...32, "The bytes of a signature."),
    flag("insecure", \.configuration.isInsecure, "Accept URLs without a signature."),
    list(
      "allow-origin", "ORIGIN,…", \.configuration.allowedOrigins,
      "The origins whose pages may read images in scripts and canvases; * is all.",
      expected: "* or origins such as https://example.com",
      element: { $0.utf8.allSatisfy { (33...126).contains($0) } && !$0.isEmpty ? $0 : nil }, text: { $0 }),
  ]

  private static let caching: [Setting] = [
    folder("cache", \.configuration.cacheDirectory, "The folder of the disk cache."),
    number("cache-size", \.configuration.cacheByteCount, in: 0...Int.max, "The most bytes on disk."),
    number("memory-size", \.configuration.memoryByteCount, in: 0...Int.max, "The most bytes of results in memory."),
    flag(
      "return-attachment", \.configuration.returnsAttachment,
      "Let browsers save results instead of showing them, unless a URL says otherwise."),
    number(
      "ttl", \.configuration.timeToLive, in: 0...Int.max,
      "How long clients may cache a result, in seconds; by default as long as its source is known to be fresh."),
    number(
      "source-ttl", \.configuration.sourceTimeToLive, in: 0...31_536_000,
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
      "memcached-namespace", \.configuration.memcached.namespace, length: 1...64,
      "Separates the entries of services that share memcached servers."),
    milliseconds("memcached-timeout", \.configuration.memcached.timeout, "The longest time for a call of memcached."),
    number(
      "memcached-item-size", \.configuration.memcached.itemByteLimit, in: 1024...(1 << 30),
      "The most bytes of an entry in memcached, below the -I of its servers."),
    text(
      "s3-results", "BUCKET", \.configuration.resultsBucket,
      "The bucket of the storage in which all nodes keep results for good."),
    name(
      "s3-results-prefix", \.configuration.results.prefix, length: 0...512, allowsSlash: true,
      "The prefix of all keys in the bucket of results."),
    flag("s3-results-originals", \.configuration.results.storesOriginals, "Keep the sources in that bucket as well."),
    milliseconds("s3-results-budget", \.configuration.resultsBudget, "The longest time for a look-up in that bucket."),
  ]

  private static let results: [Setting] = [
    number("quality", \.configuration.quality, in: 1...100, "The quality of lossy formats, in percent."),
    Setting(name: "format-quality", placeholder: "FORMAT=N,…", help: "The quality of single formats.") {
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
    number(
      "png-colors", \.configuration.pngColorLimit, in: 2...256, acceptsNothing: true,
      "The most colours of PNG, from 2 to 256; more are dithered. Without it only sources with a table have one."),
    value(
      "webp-preset", "NAME", \.configuration.encoders.webPPreset,
      "What WebP shows: default, photo, picture, drawing, icon or text.",
      expected: "default, photo, picture, drawing, icon or text", read: { EncoderSettings.WebPPreset(rawValue: $0) },
      text: \.rawValue),
    number(
      "webp-effort", \.configuration.encoders.webPEffort, in: 0...6,
      "The effort for WebP, from 0 (fastest) to 6 (smallest)."),
    number(
      "avif-speed", \.configuration.encoders.avifSpeed, in: 0...10,
      "The speed for AVIF, from 0 (smallest) to 10 (fastest)."),
    number(
      "jxl-effort", \.configuration.encoders.jpegXLEffort, in: 1...9,
      "The effort for JPEG XL, from 1 (fastest) to 9 (smallest)."),
    formats(
      "auto-formats", \.configuration.automaticFormats,
      "Formats to choose by Accept where a URL names none, the best first: avif,webp,jxl.",
      expected: "avif, webp or jxl", where: \.abilities.isNegotiated),
    formats(
      "enforce-formats", \.configuration.enforcedFormats,
      "Formats of auto-formats that override the format of a URL, for clients that accept them.",
      expected: "avif, webp or jxl", where: \.abilities.isNegotiated),
    text(
      "etag-buster", "TEXT", \.configuration.entityTagBuster,
      "A text that changes the ETag of all results, so that clients fetch them again."),
    optional(
      "last-modified-buster", "DATE", \.configuration.earliestModification,
      "Replaces an earlier Last-Modified of sources: 2026-11-25T10:00:00Z.",
      expected: "a date such as 2026-11-25T10:00:00Z", read: { try? Date($0, strategy: .iso8601) },
      text: { $0.formatted(.iso8601) }),
    flag(
      "canonical-header", \.configuration.sendsCanonicalLink,
      "Name the URL of a source on the web in the header field Link, as canonical."),
    flag(
      "client-hints", \.configuration.usesClientHints,
      "Take the width and the dpr from the client where a URL has none."),
    formats(
      "skip-formats", \.configuration.skippedFormats, "Formats of sources that are sent as they are.",
      expected: "formats such as gif and svg"),
    formats(
      "preferred-formats", \.configuration.preferredFormats,
      "Formats of results where a URL names none and Accept chooses none; a source in one of them keeps its format.",
      expected: "formats such as jpg, png, gif and webp"),
    flag("rasterize-svg", \.configuration.drawsSVG, "Draw SVG also where a URL names no format."),
    flag("sanitize-svg", \.configuration.sanitizesSVG, "Send SVG without scripts and references to anything outside."),
    flag("send-svg", \.configuration.sendsSVG, "Send SVG as it is where a URL says raw:1, instead of refusing."),
    Setting(
      name: "presets", placeholder: "NAME=OPTIONS;…",
      help: "Options by name, such as small=rs:fit:200:200/q:70;sharp=sh:1."
    ) {
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
      "allowed-options", "NAME,…", \.configuration.allowedOptions,
      "The options that URLs may have, with their short names; empty is all.",
      expected: "names such as w and rs", element: { $0.isEmpty ? nil : $0 }, text: { $0 }),
    flag("only-presets", \.configuration.acceptsPresetsOnly, "Accept presets and no other options."),
    file("watermark", \.configuration.watermark, "The image that the watermark option draws."),
    value(
      "watermark-opacity", "N", \.configuration.watermarkOpacity,
      "A factor of the opacity of watermarks, above 0 and at most 1.", expected: "a number above 0 and at most 1",
      read: { Double($0).flatMap { $0 > 0 && $0 <= 1 ? $0 : nil } }, text: { "\($0)" }),
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
    file("fallback", \.configuration.fallback, "The image that is sent in place of a source that cannot be read."),
    value(
      "fallback-status", "N", \.configuration.fallbackStatus,
      "The status of responses with the fallback image; 0 is the error's status.",
      expected: "0, or a status with a body, 200 to 599"
    ) {
      Int($0).flatMap { $0 == 0 || (200...599).contains($0) && ![204, 206, 304].contains($0) ? $0 : nil }
    } text: {
      "\($0)"
    },
    list(
      "fallback-for", "N,…", \.configuration.fallbackForStatuses,
      "The statuses of errors that the fallback image stands in for; empty is all.",
      expected: "statuses such as 404,502,504", element: { integer($0, in: 400...599) }, text: { "\($0)" }),
    number(
      "fallback-ttl", \.configuration.fallbackTimeToLive, in: 0...Int.max,
      "How long clients may cache the fallback image, in seconds."
    ),
  ]

  private static let load: [Setting] = [
    number("max-source-bytes", \.configuration.limits.encodedByteCount, in: 1...Int.max, "The most bytes of a source."),
    number("max-source-pixels", \.configuration.limits.pixelCount, in: 1...Int.max, "The most pixels of a source."),
    number(
      "max-animation-frames", \.configuration.animationFrameLimit, in: 1...1_000_000,
      "The most frames of results in GIF, WebP and AVIF; later ones are left out."),
    number(
      "max-animation-frame-pixels", \.configuration.animationPixelLimit, in: 0...Int.max,
      "The most pixels of a frame of an animation; 0 limits all of its frames together, to max-source-pixels."),
    number(
      "max-side", \.configuration.resultSideLimit, in: 1...32_768,
      "The longest side of a result in pixels; others are errors."),
    number(
      "max-result-dimension", \.configuration.resultDimension, in: 0...32_768,
      "The side in pixels to which larger results are scaled down; 0 is none."),
    number(
      "max-avif-pixels", \.configuration.slowFormatPixelLimit, in: 1...Int.max,
      "The most pixels of a result in AVIF and JPEG XL, whose encoders cannot be stopped; larger ones get another format."
    ),
    flag(
      "allow-security-options", \.configuration.allowsSecurityOptions,
      "Accept options that change limits, such as max_src_resolution and max_result_dimension."),
    seconds("deadline", \.configuration.deadline, in: 0.1...3600, "The longest time for a request."),
    seconds(
      "source-timeout", \.sourceTimeout, in: 0.1...3600,
      "The longest time for a source, at most half of the deadline by default; then the fallback image is sent, or 504."
    ),
    seconds("read-timeout", \.configuration.readTimeout, in: 0.1...3600, "The longest time for receiving a request."),
    seconds(
      "write-timeout", \.configuration.writeTimeout, in: 0.1...86_400,
      "The longest time in which a client reads a response."),
    seconds(
      "keep-alive-timeout", \.configuration.keepAliveTimeout, in: 0.1...86_400,
      "The longest time for which a connection without requests stays open."),
    seconds(
      "drain", \.configuration.drain, in: 0...3600,
      "How long /ready responds with 503 after SIGTERM, while connections are still accepted."),
    number(
      "connections", \.configuration.clientConnections, in: 1...Int.max,
      "The most connections of clients; by default as many as file descriptors allow."),
    number(
      "working-memory", \.configuration.workingByteCount, in: 1...Int.max,
      "The most bytes of images that are decoded, processed and encoded at the same time; others wait."),
    number(
      "concurrency", \.configuration.concurrency, in: 1...10_000,
      "The most images decoded, processed and encoded at the same time; by default one for each processor."),
    number(
      "queue", \.configuration.queueLength, in: 1...1_000_000,
      "The most images that wait for one host, and for a decoder; beyond them requests get the status 429."),
    flag(
      "gallery", \.configuration.showsGallery, "Show a web page with the images of local-root at /; needs insecure."),
    text(
      "purge-token", "TEXT", \.configuration.purgeToken, isSecret: true,
      "The token for DELETE /cache/plain/URL, which removes all results of a source."),
    list(
      "purge-nodes", "URL,…", \.configuration.purgeNodes,
      "The nodes that get the purges of this one as well; they need the same purge-token, and may include this one.",
      expected: "URLs without a path, such as http://10.0.0.12:8080", element: URL.init(node:),
      text: { $0.absoluteString }),
    list(
      "trusted-proxies", "CIDR,…", \.configuration.trustedProxies,
      "The proxies whose X-Forwarded-For says who the client is, for the log.",
      expected: "a range such as 10.20.0.0/16", element: { AddressRange($0) }, text: { "\($0)" }),
    value(
      "log-level", "LEVEL", \.configuration.logLevel, "trace, debug, info, notice, warning, error or critical.",
      expected: "trace, debug, info, notice, warning, error, critical",
      read: { Logger.Level(rawValue: $0.lowercased()).map(\.rawValue) }, text: \.self),
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
