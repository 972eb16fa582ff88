extension ImgproxyVariables {
  /// The variables of imgproxy 4.1 that have an effect. imgproxy.md says what each does, and which are missing.
  static let table = effects.reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  private static let effects: [[String: ImgproxyVariable]] = [
    ImgproxyVariable.settings([
      "KEY": "keys", "SALT": "salts", "SIGNATURE_SIZE": "signature-size", "TRUSTED_SIGNATURES": "trusted-signatures",
      "SECRET": "secret", "SOURCE_URL_ENCRYPTION_KEY": "source-encryption-key", "ALLOWED_SOURCES": "sources",
      "ALLOWED_PROCESSING_OPTIONS": "allowed-options", "MAX_REDIRECTS": "redirects", "TIMEOUT": "deadline",
      "DOWNLOAD_TIMEOUT": "source-timeout", "WORKERS": "concurrency", "TTL": "ttl", "SOURCE_TTL": "source-ttl",
      "ALLOW_ORIGIN": "allow-origin", "PATH_PREFIX": "path-prefix", "HEALTH_CHECK_PATH": "health-path",
      "USER_AGENT": "user-agent", "ETAG_BUSTER": "etag-buster", "LAST_MODIFIED_BUSTER": "last-modified-buster",
      "BASE_URL": "base-url", "URL_REPLACEMENTS": "url-replacements", "LOCAL_FILESYSTEM_ROOT": "local-root",
      "S3_ALLOWED_BUCKETS": "s3-buckets", "S3_DENIED_BUCKETS": "s3-denied-buckets", "QUALITY": "quality",
      "FORMAT_QUALITY": "format-quality", "WEBP_PRESET": "webp-preset", "WEBP_EFFORT": "webp-effort",
      "AVIF_SPEED": "avif-speed", "JXL_EFFORT": "jxl-effort", "WATERMARK_PATH": "watermark",
      "WATERMARK_URL": "watermark", "WATERMARK_OPACITY": "watermark-opacity", "FALLBACK_IMAGE_PATH": "fallback",
      "FALLBACK_IMAGE_URL": "fallback", "FALLBACK_IMAGE_HTTP_CODE": "fallback-status",
      "PROMETHEUS_BIND": "metrics-address",
    ]),
    ImgproxyVariable.flags([
      "ALLOW_SECURITY_OPTIONS": "allow-security-options", "SANITIZE_SVG": "sanitize-svg",
      "CACHE_CONTROL_PASSTHROUGH": "source-cache-control", "SET_CANONICAL_HEADER": "canonical-header",
      "ENABLE_CLIENT_HINTS": "client-hints", "RETURN_ATTACHMENT": "return-attachment",
      "DEVELOPMENT_ERRORS_MODE": "error-details", "BASE64_URL_INCLUDES_FILENAME": "base64-filename",
      "STRIP_METADATA": "strip-metadata", "KEEP_COPYRIGHT": "keep-copyright",
      "STRIP_COLOR_PROFILE": "strip-color-profile", "PRESERVE_HDR": "preserve-hdr",
      "JPEG_PROGRESSIVE": "jpeg-progressive", "PNG_INTERLACED": "png-interlaced",
      "ALWAYS_RASTERIZE_SVG": "rasterize-svg", "AUTO_ROTATE": "auto-rotate", "ONLY_PRESETS": "only-presets",
      "REPORT_DOWNLOADING_ERRORS": "report-source-errors",
    ]),
    ImgproxyVariable.limits([
      "MAX_SRC_FILE_SIZE": "max-source-bytes", "MAX_ANIMATION_FRAMES": "max-animation-frames",
      "READ_REQUEST_TIMEOUT": "read-timeout", "WRITE_RESPONSE_TIMEOUT": "write-timeout",
      "KEEP_ALIVE_TIMEOUT": "keep-alive-timeout", "MAX_CLIENTS": "connections", "REQUESTS_QUEUE_SIZE": "queue",
    ]),
    ImgproxyVariable.megapixels([
      "MAX_SRC_RESOLUTION": "max-source-pixels", "MAX_ANIMATION_FRAME_RESOLUTION": "max-animation-frame-pixels",
    ]),
    ImgproxyVariable.formats(["PREFERRED_FORMATS": "preferred-formats", "SKIP_PROCESSING_FORMATS": "skip-formats"]),
    [
      "MAX_RESULT_DIMENSION": .settings { (text, _) throws(ConfigurationError) in
        text == "0" ? [] : [("max-result-dimension", Int(text).map { "\(min($0, sideLimit))" } ?? text)]
      },
      "BIND": .settings { (address, _) throws(ConfigurationError) in
        guard let parsed = ListeningAddress(address) else { return [("socket", address)] }
        return [("host", parsed.host), ("port", "\(parsed.port)")]
      },
      "WATERMARK_DATA": .settings { (data, _) throws(ConfigurationError) in [("watermark", "data:;base64," + data)] },
      "FALLBACK_IMAGE_DATA": .settings { (data, _) throws(ConfigurationError) in [("fallback", "data:;base64," + data)]
      },
      "LOG_FORMAT": .settings { (format, _) throws(ConfigurationError) in
        ["json", "gcp"].contains(format) ? [("log-json", "true")] : []
      },
      "LOG_LEVEL": .settings { (level, _) throws(ConfigurationError) in
        let names = ["warn": "warning", "fatal": "critical", "panic": "critical"]
        return [("log-level", names[level.lowercased()] ?? level)]
      },
    ],
    ImgproxyVariable.all(
      """
      ENV_LOCAL_FILE_PATH ALLOW_PRIVATE_SOURCE_ADDRESSES ALLOW_LOOPBACK_SOURCE_ADDRESSES \
      ALLOW_LINK_LOCAL_SOURCE_ADDRESSES NETWORK GRACEFUL_STOP_TIMEOUT USE_ETAG USE_LAST_MODIFIED FREE_MEMORY_INTERVAL \
      MALLOC USE_S3 S3_REGION S3_ENDPOINT S3_ENDPOINT_USE_PATH_STYLE AUTO_WEBP AUTO_AVIF AUTO_JXL ENFORCE_WEBP \
      ENFORCE_AVIF ENFORCE_JXL PNG_QUANTIZE PNG_QUANTIZATION_COLORS PRESETS PRESETS_PATH PRESETS_SEPARATOR \
      FALLBACK_IMAGE_TTL PROMETHEUS_NAMESPACE S3_MULTI_REGION MAX_CHAINED_PIPELINES
      """, .combined),
    ImgproxyVariable.all(
      """
      ENV_AWS_SECRET_ID ENV_AWS_SECRET_VERSION_ID ENV_AWS_SECRET_VERSION_STAGE ENV_AWS_SECRET_REGION \
      ENV_AWS_SSM_PARAMETERS_PATH ENV_AWS_SSM_PARAMETERS_REGION ENV_GCP_SECRET_ID ENV_GCP_SECRET_VERSION_ID \
      ENV_GCP_SECRET_PROJECT_ID ENV_GCP_KEY
      """,
      .refused(reason: "load the secret into the environment or into a file (`ENV_LOCAL_FILE_PATH`) instead")),
    ImgproxyVariable.all(
      "S3_ASSUME_ROLE_ARN S3_ASSUME_ROLE_EXTERNAL_ID S3_ACCESS_POINTS S3_USE_DECRYPTION_CLIENT",
      .refused(reason: "requests would be made with other rights, or to other buckets, than these say")),
    ImgproxyVariable.all(
      """
      GCS_ALLOWED_BUCKETS GCS_DENIED_BUCKETS ABS_ALLOWED_BUCKETS ABS_DENIED_BUCKETS SWIFT_ALLOWED_BUCKETS \
      SWIFT_DENIED_BUCKETS
      """, .refused(reason: "these storages are missing")),
    ImgproxyVariable.all(
      "ALLOWED_INFO_OPTIONS INFO_ONLY_PRESETS", .refused(reason: "`/info/` has no options")),
  ]

  /// The names of older versions, with the variables that have taken their place.
  static let aliases = [
    "ENABLE_WEBP_DETECTION": "AUTO_WEBP", "ENABLE_AVIF_DETECTION": "AUTO_AVIF", "CONCURRENCY": "WORKERS",
    "WRITE_TIMEOUT": "TIMEOUT", "READ_TIMEOUT": "READ_REQUEST_TIMEOUT",
  ]
}
