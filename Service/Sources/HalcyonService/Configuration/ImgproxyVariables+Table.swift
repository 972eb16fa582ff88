import Foundation

extension ImgproxyVariables {
  /// Every variable of imgproxy 4.1, in the order of the manual, and those of imgproxy 3 that stand for one of them.
  static let table: [ImgproxyVariable] = access + server + sources + results + monitoring + commercial + older

  /// The variables by their names.
  static let byName = Dictionary(table.map { ($0.name, $0) }) { first, _ in first }

  /// The names of older versions, with the variables that have taken their place.
  static let aliases = [
    "ENABLE_WEBP_DETECTION": "AUTO_WEBP", "ENABLE_AVIF_DETECTION": "AUTO_AVIF", "CONCURRENCY": "WORKERS",
    "WRITE_TIMEOUT": "TIMEOUT", "READ_TIMEOUT": "READ_REQUEST_TIMEOUT",
  ]

  private static let access: [ImgproxyVariable] =
    ImgproxyVariable.settings(
      "same", ["KEY": "keys", "SALT": "salts", "SIGNATURE_SIZE": "signature-size"])
    + ImgproxyVariable.settings("same", ["TRUSTED_SIGNATURES": "trusted-signatures", "SECRET": "secret"])
    + ImgproxyVariable.all(
      "ENV_LOCAL_FILE_PATH", .combined, "same; of the variables of the file those of imgproxy and of AWS are read")
    + ImgproxyVariable.refused(
      """
      ENV_AWS_SECRET_ID ENV_AWS_SECRET_VERSION_ID ENV_AWS_SECRET_VERSION_STAGE ENV_AWS_SECRET_REGION \
      ENV_AWS_SSM_PARAMETERS_PATH ENV_AWS_SSM_PARAMETERS_REGION ENV_GCP_SECRET_ID ENV_GCP_SECRET_VERSION_ID \
      ENV_GCP_SECRET_PROJECT_ID ENV_GCP_KEY
      """, "load the secret into the environment or into a file (`ENV_LOCAL_FILE_PATH`) instead")
    + ImgproxyVariable.settings("same, as the text above says", ["ALLOWED_SOURCES": "sources"])
    + ImgproxyVariable.all(
      "ALLOW_PRIVATE_SOURCE_ADDRESSES ALLOW_LOOPBACK_SOURCE_ADDRESSES ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", .combined,
      "same")
    + ImgproxyVariable.settings(
      "same", ["ALLOWED_PROCESSING_OPTIONS": "allowed-options", "MAX_REDIRECTS": "redirects"])
    + ImgproxyVariable.flags("same", ["ALLOW_SECURITY_OPTIONS": "allow-security-options"])
    + ImgproxyVariable.megapixels("same", ["MAX_SRC_RESOLUTION": "max-source-pixels"])
    + ImgproxyVariable.limits(
      "same; 0 is the default here, not unlimited",
      ["MAX_SRC_FILE_SIZE": "max-source-bytes"])
    + ImgproxyVariable.translated(
      "MAX_RESULT_DIMENSION", "same; 0 is the default here, not unlimited, and values over 32,768 are taken as that"
    ) { (text) throws(ConfigurationError) in
      text == "0" ? [] : [("max-result-dimension", Int(text).map { "\(min($0, sideLimit))" } ?? text)]
    }
    + ImgproxyVariable.limits("same", ["MAX_ANIMATION_FRAMES": "max-animation-frames"])
    + ImgproxyVariable.megapixels("same", ["MAX_ANIMATION_FRAME_RESOLUTION": "max-animation-frame-pixels"])
    + ImgproxyVariable.all(
      "PNG_UNLIMITED SVG_UNLIMITED TIFF_UNLIMITED", .missing, "*missing*: the limits of decoders are fixed")
    + ImgproxyVariable.flags("same", ["SANITIZE_SVG": "sanitize-svg"])
    + ImgproxyVariable.all("IGNORE_SSL_VERIFICATION", .missing, "*missing*: certificates are always verified")
    + ImgproxyVariable.all("COOKIE_PASSTHROUGH COOKIE_BASE_URL COOKIE_PASSTHROUGH_ALL", .missing, "*missing*")

  private static let server: [ImgproxyVariable] =
    ImgproxyVariable.translated("BIND", "same for `tcp` and `unix`") { (address) throws(ConfigurationError) in
      guard let parsed = ListeningAddress(address) else { return [("socket", address)] }
      return [("host", parsed.host), ("port", "\(parsed.port)")]
    }
    + ImgproxyVariable.all("NETWORK", .combined, "same for `tcp` and `unix`")
    + ImgproxyVariable.settings(
      "same; the defaults are 30 seconds and half of `TIMEOUT`, at most 15 seconds",
      ["TIMEOUT": "deadline", "DOWNLOAD_TIMEOUT": "source-timeout"])
    + ImgproxyVariable.limits(
      "same; the defaults are 10, 60 and 75 seconds, which 0 stands for",
      [
        "READ_REQUEST_TIMEOUT": "read-timeout", "WRITE_RESPONSE_TIMEOUT": "write-timeout",
        "KEEP_ALIVE_TIMEOUT": "keep-alive-timeout",
      ])
    + ImgproxyVariable.all("GRACEFUL_STOP_TIMEOUT", .combined, "always twice the deadline")
    + ImgproxyVariable.all("CLIENT_KEEP_ALIVE_TIMEOUT", .missing, "*missing*")
    + ImgproxyVariable.settings("same; by default one for each processor, not two", ["WORKERS": "concurrency"])
    + ImgproxyVariable.limits("same; 0 is the default", ["MAX_CLIENTS": "connections"])
    + ImgproxyVariable.limits(
      "same, for each source host and for the decoders; 0 is the default of 1024, not unlimited",
      ["REQUESTS_QUEUE_SIZE": "queue"])
    + ImgproxyVariable.settings(
      "same; without it results are cached as long as their source is known to be fresh, not for a year", ["TTL": "ttl"]
    )
    + ImgproxyVariable.settings(
      "same",
      [
        "ALLOW_ORIGIN": "allow-origin", "PATH_PREFIX": "path-prefix", "HEALTH_CHECK_PATH": "health-path",
        "USER_AGENT": "user-agent", "ETAG_BUSTER": "etag-buster", "LAST_MODIFIED_BUSTER": "last-modified-buster",
      ])
    + ImgproxyVariable.flags(
      "same",
      [
        "CACHE_CONTROL_PASSTHROUGH": "source-cache-control", "SET_CANONICAL_HEADER": "canonical-header",
        "ENABLE_CLIENT_HINTS": "client-hints",
      ])
    + ImgproxyVariable.settings(
      "of this service, named like the others: for how many seconds a source is fresh that does not say so itself",
      ["SOURCE_TTL": "source-ttl"])
    + ImgproxyVariable.all("USE_ETAG USE_LAST_MODIFIED", .combined, "always on")
    + ImgproxyVariable.flags("same", ["RETURN_ATTACHMENT": "return-attachment"])
    + ImgproxyVariable.all("SO_REUSEPORT ENABLE_DEBUG_HEADERS", .missing, "*missing*")
    + ImgproxyVariable.flags("same", ["DEVELOPMENT_ERRORS_MODE": "error-details"])
    + ImgproxyVariable.all("FREE_MEMORY_INTERVAL MALLOC", .combined, "without meaning here")

  private static let sources: [ImgproxyVariable] =
    ImgproxyVariable.settings("same", ["BASE_URL": "base-url", "URL_REPLACEMENTS": "url-replacements"])
    + ImgproxyVariable.flags("same", ["BASE64_URL_INCLUDES_FILENAME": "base64-filename"])
    + ImgproxyVariable.all(
      "SOURCE_URL_QUERY_SEPARATOR", .missing, "*missing*: the names of files and objects have no query")
    + ImgproxyVariable.all("ARGUMENTS_SEPARATOR", .missing, "*missing*: arguments are separated by colons")
    + ImgproxyVariable.settings("same", ["LOCAL_FILESYSTEM_ROOT": "local-root"])
    + ImgproxyVariable.all(
      "USE_S3 S3_REGION S3_ENDPOINT S3_ENDPOINT_USE_PATH_STYLE", .combined,
      """
      same, with `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, the file `~/.aws/credentials`, or \
      the role of a container, of Kubernetes or of an EC2 instance
      """)
    + ImgproxyVariable.settings(
      "same", ["S3_ALLOWED_BUCKETS": "s3-buckets", "S3_DENIED_BUCKETS": "s3-denied-buckets"])
    + ImgproxyVariable.refused(
      "S3_ASSUME_ROLE_ARN S3_ASSUME_ROLE_EXTERNAL_ID S3_ACCESS_POINTS S3_USE_DECRYPTION_CLIENT",
      "requests would be made with other rights, or to other buckets, than these say")
    + ImgproxyVariable.all(
      "USE_GCS GCS_KEY GCS_ENDPOINT", .missing, "*missing*: use HMAC keys, as the text below says")
    + ImgproxyVariable.all(
      """
      USE_ABS ABS_NAME ABS_KEY ABS_ENDPOINT USE_SWIFT SWIFT_USERNAME SWIFT_API_KEY \
      SWIFT_AUTH_URL SWIFT_AUTH_VERSION SWIFT_TENANT SWIFT_DOMAIN SWIFT_TIMEOUT_SECONDS SWIFT_CONNECT_TIMEOUT_SECONDS
      """, .missing, "*missing*")
    + ImgproxyVariable.refused(
      """
      GCS_ALLOWED_BUCKETS GCS_DENIED_BUCKETS ABS_ALLOWED_BUCKETS ABS_DENIED_BUCKETS SWIFT_ALLOWED_BUCKETS \
      SWIFT_DENIED_BUCKETS
      """, "these storages are missing")

  private static let results: [ImgproxyVariable] =
    ImgproxyVariable.settings("same", ["QUALITY": "quality", "FORMAT_QUALITY": "format-quality"])
    + ImgproxyVariable.formats(
      "same; formats that are neither read nor written are left out",
      ["PREFERRED_FORMATS": "preferred-formats", "SKIP_PROCESSING_FORMATS": "skip-formats"])
    + ImgproxyVariable.flags("same", ["STRIP_METADATA": "strip-metadata", "KEEP_COPYRIGHT": "keep-copyright"])
    + ImgproxyVariable.flags(
      "same for Display P3 and narrower profiles; wider ones become Display P3",
      ["STRIP_COLOR_PROFILE": "strip-color-profile"])
    + ImgproxyVariable.flags(
      "same, also for gain maps, and with the same default; results with filters, watermarks or padding are standard",
      ["PRESERVE_HDR": "preserve-hdr"])
    + ImgproxyVariable.all(
      "AUTO_WEBP AUTO_AVIF AUTO_JXL ENFORCE_WEBP ENFORCE_AVIF ENFORCE_JXL", .combined, "same")
    + ImgproxyVariable.flags(
      "same, with the same defaults", ["JPEG_PROGRESSIVE": "jpeg-progressive", "PNG_INTERLACED": "png-interlaced"])
    + ImgproxyVariable.settings(
      "same, with the same defaults",
      [
        "WEBP_PRESET": "webp-preset", "WEBP_EFFORT": "webp-effort", "AVIF_SPEED": "avif-speed",
        "JXL_EFFORT": "jxl-effort",
      ])
    + ImgproxyVariable.all(
      "PNG_QUANTIZE PNG_QUANTIZATION_COLORS", .combined,
      """
      same, by an encoder of our own: libimagequant, which imgproxy uses, has another licence (GPL). The number of \
      colours is exact, where imgproxy has 2, 4, 16 or 256. Without the variable, PNG results of sources with a colour \
      table have one of at most 256 colours, where imgproxy has as many bits as the source
      """)
    + ImgproxyVariable.flags("same", ["ALWAYS_RASTERIZE_SVG": "rasterize-svg"])
    + ImgproxyVariable.flags("same", ["AUTO_ROTATE": "auto-rotate"])
    + ImgproxyVariable.all(
      "ENFORCE_THUMBNAIL", .missing, "*missing*: the image itself is decoded, so that results may be larger")
    + ImgproxyVariable.all("USE_LINEAR_COLORSPACE DISABLE_SHRINK_ON_LOAD", .missing, "*missing*")
    + ImgproxyVariable.all("PRESETS PRESETS_PATH PRESETS_SEPARATOR", .combined, "same")
    + ImgproxyVariable.flags("same", ["ONLY_PRESETS": "only-presets"])
    + ImgproxyVariable.settings(
      "same; read once, at the start", ["WATERMARK_PATH": "watermark", "WATERMARK_URL": "watermark"])
    + ImgproxyVariable.translated("WATERMARK_DATA", "same; read once, at the start") {
      (data) throws(ConfigurationError) in [("watermark", "data:;base64," + data)]
    }
    + ImgproxyVariable.settings("same", ["WATERMARK_OPACITY": "watermark-opacity"])
    + ImgproxyVariable.settings(
      "same", ["FALLBACK_IMAGE_PATH": "fallback", "FALLBACK_IMAGE_URL": "fallback"])
    + ImgproxyVariable.translated("FALLBACK_IMAGE_DATA", "same") { (data) throws(ConfigurationError) in
      [("fallback", "data:;base64," + data)]
    }
    + ImgproxyVariable.settings("same", ["FALLBACK_IMAGE_HTTP_CODE": "fallback-status"])
    + ImgproxyVariable.all("FALLBACK_IMAGE_TTL", .combined, "same; without it a minute, not `TTL`")

  private static let monitoring: [ImgproxyVariable] =
    ImgproxyVariable.settings(
      "same: the metrics of imgproxy under its names, but those of libvips, and those of the service",
      ["PROMETHEUS_BIND": "metrics-address"])
    + ImgproxyVariable.all("PROMETHEUS_NAMESPACE", .combined, "same; it applies to the metrics of imgproxy")
    + ImgproxyVariable.translated("LOG_FORMAT", "`json` and any other") { (format) throws(ConfigurationError) in
      ["json", "gcp"].contains(format) ? [("log-json", "true")] : []
    }
    + ImgproxyVariable.flags(
      "same: without it such requests are logged as information, not as warnings and errors",
      ["REPORT_DOWNLOADING_ERRORS": "report-source-errors"])
    + ImgproxyVariable.translated("LOG_LEVEL", "same, in any case") { (level) throws(ConfigurationError) in
      let names = ["warn": "warning", "fatal": "critical", "panic": "critical"]
      return [("log-level", names[level.lowercased()] ?? level)]
    }
    + ImgproxyVariable.all(
      """
      LOG_MEM_STATS PPROF_BIND REPORT_IO_ERRORS FAIL_ON_DEPRECATION VIPS_CACHE_TRACE \
      VIPS_LEAK_CHECK
      """, .missing, "*missing*")
    + ImgproxyVariable.all(
      """
      SYSLOG_ENABLE SYSLOG_LEVEL SYSLOG_NETWORK SYSLOG_ADDRESS SYSLOG_TAG BUGSNAG_KEY BUGSNAG_STAGE HONEYBADGER_KEY \
      HONEYBADGER_ENV SENTRY_DSN SENTRY_ENVIRONMENT SENTRY_RELEASE AIRBRAKE_PROJECT_ID AIRBRAKE_PROJECT_KEY \
      AIRBRAKE_ENVIRONMENT NEW_RELIC_KEY NEW_RELIC_APP_NAME NEW_RELIC_LABELS NEW_RELIC_PROPAGATE_EXTERNAL \
      DATADOG_ENABLE DATADOG_ENABLE_ADDITIONAL_METRICS DATADOG_PROPAGATE_EXTERNAL OPEN_TELEMETRY_ENABLE \
      OPEN_TELEMETRY_ENABLE_METRICS OPEN_TELEMETRY_ENABLE_LOGS OPEN_TELEMETRY_LOGGER_NAME OPEN_TELEMETRY_SERVER_CERT \
      OPEN_TELEMETRY_CLIENT_CERT OPEN_TELEMETRY_CLIENT_KEY OPEN_TELEMETRY_TRACE_ID_GENERATOR \
      OPEN_TELEMETRY_PROPAGATE_EXTERNAL CLOUD_WATCH_SERVICE_NAME CLOUD_WATCH_NAMESPACE CLOUD_WATCH_REGION
      """, .missing, "*missing*")

  private static let older: [ImgproxyVariable] =
    aliases.sorted { $0.key < $1.key }.map {
      ImgproxyVariable(name: $0.key, effect: .combined, note: "of imgproxy 3: `\($0.value)`")
    }
    + ImgproxyVariable.all(
      """
      MAX_SVG_CHECK_BYTES SVG_FIX_UNSUPPORTED OPEN_TELEMETRY_CONNECTION_TIMEOUT \
      OPEN_TELEMETRY_ENDPOINT OPEN_TELEMETRY_GRPC_INSECURE OPEN_TELEMETRY_PROPAGATORS OPEN_TELEMETRY_PROTOCOL \
      OPEN_TELEMETRY_SERVICE_NAME
      """, .missing, "of imgproxy 3: *missing*")
    + ImgproxyVariable.all("S3_MULTI_REGION", .combined, "of imgproxy 3: always on")
}
