public import Foundation
public import Halcyon
public import HalcyonHTTP
import HalcyonPipeline
import HalcyonCache
public import HalcyonBackend
public import HalcyonCodecs

/// The settings of an image service.
public struct ServiceConfiguration: Sendable {
  /// The address to listen on. Default: this machine only.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 is any free port.
  public var port = 8080
  /// The path of the Unix domain socket to listen on, in place of ``host`` and ``port``; `nil` is none.
  public var socketPath: String?
  /// The address at which only `/metrics`, `/health` and `/ready` are served; `nil` serves `/metrics` with the images.
  public var metricsAddress: ListeningAddress?

  /// The origins whose pages may read images, such as `https://example.com`, or `*` for all (CORS). Default: none.
  public var allowedOrigins: [String] = []

  /// The keys that sign URLs; a URL signed with any of them is accepted.
  public var keyPairs: [URLSigner.KeyPair] = []
  /// The bytes of a signature. Default: all 32.
  public var signatureByteCount = 32
  /// Whether URLs need no signature. Default: no.
  public var isInsecure = false

  /// Signatures that are accepted for every path. Default: none.
  public var trustedSignatures: [String] = []
  /// The bearer token that requests for images must have; empty is none.
  public var secret = ""
  /// The prefix of the paths of all requests, such as `/images`; empty is none.
  public var pathPrefix = ""
  /// A path that responds like `/health`; empty is none.
  public var healthPath = ""
  /// Whether the last segment of a path with a Base64 URL is a name without effect.
  public var hasFilenamesInBase64 = false
  /// The AES key of encrypted sources in paths (`enc/`), 16, 24 or 32 bytes; empty accepts none. Default: none.
  public var sourceEncryptionKey = Data()
  /// How the source of a path becomes a URL.
  public var sourceRewriting = SourceRewriting()

  /// The sources that may be fetched; empty is all.
  public var allowedSources: [SourcePattern] = []
  /// Where a source may redirect to in addition to ``allowedSources``, unless these are all. Default: nowhere else.
  public var allowedRedirects: [SourcePattern] = []
  /// The IP addresses that may be connected to. Default: addresses of the public Internet.
  public var addressPolicy = AddressPolicy.publicInternetOnly
  /// The folder of `local:///` sources; `nil` allows none.
  public var localRoot: URL?
  /// The storage of `s3://BUCKET/KEY` sources; `nil` allows none.
  public var storage: S3Storage?
  /// The buckets of ``storage`` that sources may be in, in lower case; empty is all. Default: all.
  public var allowedBuckets: [String] = []
  /// The buckets of ``storage`` that sources may not be in, in lower case. Default: none.
  public var deniedBuckets: [String] = []
  /// Where the keys of ``storage`` come from, if it has none; for sources only. Default: `nil`, requests are not signed.
  public var storageRole: CredentialSource?
  /// The `User-Agent` of requests to sources; empty sends the library's.
  public var userAgent = ""
  /// The most redirects of a source.
  public var redirectLimit = 10
  /// The most requests to sources in flight.
  public var sourceConnections = 256
  /// The most requests to one host in flight.
  public var sourceConnectionsPerHost = 16

  /// The folder of the disk cache; `nil` is this program's default folder.
  public var cacheDirectory: URL?
  /// The most bytes on disk.
  public var cacheByteCount = 1 << 30
  /// The memcached servers that all nodes share; empty is none. Default: none.
  public var memcachedServers: [MemcachedServer] = []
  /// The namespace, timeout and limits of ``memcachedServers``.
  public var memcached = MemcachedConfiguration()
  /// The bucket of ``storage`` in which all nodes keep results; `nil` is none.
  public var resultsBucket: String?
  /// The prefix, timeout and limits of ``resultsBucket``.
  public var results = S3StoreConfiguration()
  /// The longest time for a look-up in ``resultsBucket``. Default: half a second.
  public var resultsBudget = Duration.milliseconds(500)
  /// The most bytes of results in memory.
  public var memoryByteCount = 64 << 20

  /// The quality in percent of formats without one of their own.
  public var quality = 80
  /// The quality in percent of formats.
  public var formatQuality: [ImageFormat: Int] = [.avif: 63, .webp: 79, .jpegXL: 77]
  /// The most colours of PNG, from 2 to 256. Default: no limit, but 256 for sources with a colour table.
  public var pngColorLimit: Int?
  /// How long encoders take for smaller files, and whether JPEG is progressive.
  public var encoders = EncoderSettings()
  /// The formats that are chosen by `Accept` where a URL names none, the best first.
  public var automaticFormats: [ImageFormat] = []
  /// The ``automaticFormats`` that override the format of a URL for clients that accept them. Default: none.
  public var enforcedFormats: [ImageFormat] = []
  /// A text on which the entity tags of all results depend. Default: none.
  public var entityTagBuster = ""
  /// The earliest `Last-Modified` of results; it replaces an earlier date of a source. Default: none.
  public var earliestModification: Date?
  /// Whether results name the `http` or `https` URL of their source as canonical, for search engines. Default: no.
  public var sendsCanonicalLink = false
  /// Whether the width and the pixels per unit that a client sends are defaults of the options. Default: no.
  public var usesClientHints = false
  /// The formats of sources that are sent as they are, unless a URL names another format. Default: none.
  public var skippedFormats: [ImageFormat] = []
  /// The formats of results whose URL names none, for clients that accept none of ``automaticFormats``: the source's if
  /// it is among them, otherwise the first one that has what the result needs. Default: JPEG, PNG and GIF.
  public var preferredFormats: [ImageFormat] = [.jpeg, .png, .gif]
  /// Whether SVG sources are drawn where a URL names no format. Default: no, they are sent as SVG, as imgproxy does.
  public var drawsSVG = false
  /// Whether SVG is sent without scripts and references to anything outside. Default: yes.
  public var sanitizesSVG = true
  /// Whether SVG sources may be sent as they are, where a URL says `raw:1`. Default: no.
  public var sendsSVG = false
  /// The option segments of each preset.
  public var presets: [String: [String]] = [:]
  /// The names of the options that URLs may have, in addition to presets; empty is all.
  public var allowedOptions: [String] = []
  /// Whether URLs may use presets only.
  public var acceptsPresetsOnly = false
  /// The file, web or `data:` URL of the image that the watermark option draws.
  public var watermark: URL?
  /// A factor of the opacity of watermarks, above 0 and at most 1.
  public var watermarkOpacity = 1.0
  /// Whether the orientation of sources is applied, where the options of a path do not say. Default: yes.
  public var autoRotates = true
  /// Whether the metadata of sources is left out, where the options of a path do not say. Default: yes.
  public var stripsMetadata = true
  /// Whether results of sources with a wider gamut are in sRGB, where the options of a path do not say; otherwise they are in
  /// Display P3, with its profile. Default: yes, as imgproxy.
  public var stripsColorProfile = true
  /// Whether results keep high dynamic range, where the options of a path do not say. Default: no, as imgproxy.
  public var preservesHDR = false
  /// Whether artist and copyright are kept nevertheless. Default: yes, as imgproxy.
  public var keepsCopyright = true

  /// What the names of imgproxy's metrics begin with where these are served as well; empty for nothing, and `nil` without them.
  public var imgproxyMetrics: String?
  /// Whether error responses say what only the log has otherwise, such as URLs of sources; for development. Default: no.
  public var showsErrorDetails = false
  /// Whether requests whose source cannot be fetched or read are logged as warnings and errors, not as information.
  /// Default: yes.
  public var reportsSourceErrors = true
  /// The file or web URL of the image that is sent in place of a source that cannot be read; `nil` sends errors.
  public var fallback: URL?
  /// The status of responses with ``fallback``; 0 is the error's status. Default: 200.
  public var fallbackStatus = 200
  /// The statuses of errors that ``fallback`` stands in for; empty is every error of a source that cannot be fetched or
  /// read.
  public var fallbackForStatuses: [Int] = []
  /// How long clients may cache ``fallback``, in seconds. Default: a minute, so that the source is asked for again soon.
  public var fallbackTimeToLive = 60

  /// Whether browsers save results instead of showing them, where a path does not say. Default: no.
  public var returnsAttachment = false
  /// How long clients may cache a result, in seconds; 0 has them revalidate each time. Default: `nil`, as long as the source
  /// is known to be fresh.
  public var timeToLive: Int?
  /// For how many seconds a source is fresh that does not say so itself: without `max-age`, `s-maxage` and `Expires`.
  /// Default: 0, it is revalidated for each result.
  public var sourceTimeToLive = 0
  /// Whether a source is revalidated for a client whose request has `Cache-Control: no-cache`. Default: no.
  public var allowsNoCache = false
  /// Whether the `Cache-Control` and `Expires` of a source take the place of ``timeToLive``.
  public var passesCacheControl = false

  /// The limits for sources. Default: 50 million pixels, 64 MiB.
  public var limits = ImageLimits(pixelCount: 50_000_000, sideLength: 32_768)
  /// The most frames of an animated result, where the format has them; later ones are left out. Default: 1, a still image,
  /// as imgproxy.
  public var animationFrameLimit = 1
  /// The most pixels of a frame of an animation; 0 limits all of its frames together, to the pixels of a source. Default: 0.
  public var animationPixelLimit = 0
  /// The longest side of a result in pixels.
  public var resultSideLimit = 8192
  /// The most pixels of a result in AVIF and JPEG XL, whose encoders cannot be stopped when clients have gone. A larger one
  /// is an error where the URL names the format, and otherwise written in another. Default: 16 million, some seconds of work.
  public var slowFormatPixelLimit = 16_000_000
  /// The longest side in pixels to which larger results are scaled down; 0 is none. Default: none.
  public var resultDimension = 0
  /// Whether paths may have the options that change limits. Default: no.
  public var allowsSecurityOptions = false
  /// The longest time for a request, including its wait.
  public var deadline = Duration.seconds(30)
  /// The longest time for the source of a request, including its wait for a connection: then ``fallback`` is sent, or the
  /// status 504. A connection is made within 10 of these seconds, and no byte is waited for longer than 15. Default: 15
  /// seconds, half of the default of ``deadline``.
  public var sourceTimeout = Duration.seconds(15)
  /// The longest time for receiving a request. Default: 10 seconds.
  public var readTimeout = Duration.seconds(10)
  /// The longest time in which a client reads a response; then its connection is closed. Default: a minute.
  public var writeTimeout = Duration.seconds(60)
  /// The longest time for which a connection without requests stays open. Default: 75 seconds.
  public var keepAliveTimeout = Duration.seconds(75)
  /// How long `/ready` responds with 503 while connections are still accepted, once the service has been asked to stop.
  /// Default: none.
  public var drain = Duration.zero
  /// The most connections of clients; others wait until one ends. Default: as many as leave file descriptors for the work
  /// on requests.
  public var clientConnections: Int?
  /// The most bytes of the images that are decoded, processed and encoded at the same time; others wait. An image that
  /// takes more than this is made while no other one is. Default: half of the memory available to the process.
  public var workingByteCount = MemoryBudget.defaultByteLimit
  /// The most images that are decoded, processed and encoded at the same time. Default: one for each processor, since more
  /// take more memory and are not faster.
  public var concurrency = ProcessInfo.processInfo.activeProcessorCount
  /// The most images that wait for the source of one host, and the most that wait for a decoder; further requests get
  /// the status 429.
  public var queueLength = 1024

  /// Whether `/` is a web page with the images of ``localRoot`` and controls for the options. Default: no.
  public var showsGallery = false
  /// The bearer token of purge requests; `nil` disables them.
  public var purgeToken: String?
  /// The `http` or `https` URLs of nodes that get the purges of this one as well. Default: none.
  public var purgeNodes: [URL] = []
  /// The proxies whose `X-Forwarded-For` says in the log who the client is. Default: none.
  public var trustedProxies: [AddressRange] = []
  /// The level of the log: trace, debug, info, notice, warning, error or critical.
  public var logLevel = "info"
  /// Whether the log has one JSON object per line. Default: no, text.
  public var logsJSON = false
  /// The variables of imgproxy that were set and have no effect.
  public var ignoredVariables: [String] = []
  /// What else the log says at the start, such as variables of the system that have no effect.
  public var notices: [String] = []
  /// The names under which settings were given, such as variables of imgproxy, for errors.
  var givenNames: [String: String] = [:]

  /// Creates a configuration with the defaults.
  public init() {}

  /// A path without the prefix, which requests for the health of the service need not have; `nil` for others without it.
  func pathWithoutPrefix(_ path: String) -> String? {
    guard !pathPrefix.isEmpty, !["/health", "/ready", "/metrics"].contains(path) else { return path }
    guard path.utf8.starts(with: (pathPrefix + "/").utf8) else { return nil }
    return String(Substring(path.utf8.dropFirst(pathPrefix.utf8.count)))
  }

  /// Why results cannot be kept on disk; `nil` if they can.
  public func cacheFolderFault() -> ConfigurationError? {
    guard cacheByteCount > 0 else { return nil }
    let folder = cacheDirectory ?? DiskCache.defaultDirectory
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      return .unusableFile(setting: "cache", path: folder.path, reason: error.localizedDescription)
    }
    guard !FileManager.default.isWritableFile(atPath: folder.path) else { return nil }
    return .unusableFile(setting: "cache", path: folder.path, reason: "it cannot be written.")
  }

  /// Checks that the folders and files of the settings are there, and that the process may open enough files.
  func checkFiles(descriptorLimit: Int = ServiceConfiguration.descriptorLimit) throws(ConfigurationError) {
    do throws(ConfigurationError) {
      try checkFilesAndLimit(descriptorLimit)
    } catch {
      throw error.named(givenNames)
    }
  }

  private func checkFilesAndLimit(_ descriptorLimit: Int) throws(ConfigurationError) {
    guard descriptorLimit >= Self.leastDescriptorLimit else { throw .tooFewDescriptors(descriptorLimit) }
    if let localRoot {
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: localRoot.path, isDirectory: &isFolder)
      guard exists, isFolder.boolValue, FileManager.default.isReadableFile(atPath: localRoot.path) else {
        throw .unusableFile(
          setting: "local-root", path: localRoot.path,
          reason: exists ? "it is not a readable folder." : "there is no such folder.")
      }
    }
    for (setting, file) in [("fallback", fallback), ("watermark", watermark)] {
      guard let file, file.isFileURL, !FileManager.default.isReadableFile(atPath: file.path) else { continue }
      throw .unusableFile(setting: setting, path: file.path, reason: "there is no readable file.")
    }
  }
}
