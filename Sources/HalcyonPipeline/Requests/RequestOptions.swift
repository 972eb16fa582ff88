public import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import HalcyonCache

/// How images are loaded, kept and handed out.
///
/// Every option is `nil` where nothing is said about it. What a request leaves open is filled in from its pipeline's
/// ``PipelineConfiguration/defaultOptions``, what these leave open from ``global``, and what is open then has the
/// default named at each option.
///
/// ```swift
/// var request = ImageRequest(url: url)
/// request.options.waitsForStore = true
/// request.options.storage = .photo
/// ```
public struct RequestOptions: Sendable {
  /// Which of several waiting loads goes first. Default: normal. A running task can change its own.
  public var priority: ImagePriority?
  /// The longest time that the whole load may take, waiting and retries included. Default: no limit; single transfers
  /// have limits of their own.
  public var timeout: Duration?
  /// Whether, and how often, a task shows what has arrived. Default: ``PreviewPolicy/never``.
  public var previews: PreviewPolicy?

  /// Which caches are read and written. Default: all.
  public var cachePolicy: CachePolicy?
  /// Whether what the caches have is shown as it is, or the server is asked first. Default: as HTTP has it.
  public var freshness: FreshnessPolicy?
  /// Whether the server may be asked by the `ETag` of what is stored. Default: yes. Some servers give the same one to
  /// different images.
  public var usesETags: Bool?
  /// Whether a task shows an image that is no longer fresh at once, as ``ImageTask/Event/preview(_:)``, while the server
  /// is asked. Default: no.
  public var showsStaleFirst: Bool?
  /// The cache that the image is looked for and kept in. Default: the pipeline's.
  public var targetCache: ImageCache?
  /// The cache in whose store the bytes are looked for and kept that the image is made of. Default: ``targetCache``.
  public var originalCache: ImageCache?
  /// Whether the image is delivered only once what is to be stored of it is stored, or could not be. Default: no, nobody
  /// waits for the disk. Images that come from memory are not waited for.
  public var waitsForStore: Bool?
  /// In which form the store gets the image, besides the bytes that it is made of. Default: ``StoragePolicy/original``,
  /// those bytes only.
  public var storage: StoragePolicy?
  /// Whether the store gets the bytes that the image is made of where ``storage`` makes it keep the image itself.
  /// Default: yes; other sizes are made of them, and they are not fetched again to be asked about.
  public var keepsOriginal: Bool?

  /// When the image stops being served from memory. Default: ``MemoryCacheConfiguration/expiration``.
  public var memoryExpiration: CacheExpiration?
  /// When what is stored of the image stops being served. Default: the store's own, for the disk
  /// ``DiskCacheConfiguration/expiration``.
  public var storeExpiration: CacheExpiration?
  /// What reading the image from memory does to the time it has left. Default: it starts again.
  public var memoryExtension: ExpirationExtension?
  /// What reading from the store does to the time that the entry has left. Default: it starts again.
  public var storeExtension: ExpirationExtension?
  /// Words by which stored entries can be found and removed, added to those that they have. Default: none.
  public var tags: [String]?
  /// Whether what is stored of the image, or found in the store, is kept when other entries are evicted
  /// (``DiskCache/setPinned(_:for:)``). Default: no.
  public var isPinned: Bool?
  /// What the name of a file ends with that ``ImagePipeline/writeFile(for:in:)`` writes, for example `jpg`; only letters and
  /// digits of ASCII count, the first 16. Default: what the format of the bytes is usually called.
  public var fileExtension: String?

  /// Whether the image is decoded in its original size, whatever ``ImageRequest/size`` says. Default: no.
  public var usesOriginalSize: Bool?
  /// By how much ``ImageRequest/size`` is multiplied, above 0: 1.5 decodes an image for a view at one and a half times
  /// its size. Default: 1.
  public var downsamplingScale: Double?
  /// Pixels to a point of the screen that the image is for, handed out with it as ``DecodedImage/scale``. Default: 1.
  public var scaleFactor: Double?
  /// Whether a file that ends early gives the part that is there, as an image that ``DecodedImage/isPartial`` tells and no
  /// cache keeps. Default: no, it is an error.
  public var allowsPartialImage: Bool?
  /// Whether an animated image is loaded as its first picture only. Default: no.
  public var firstFrameOnly: Bool?
  /// Whether the pictures of an animated image are decoded before it is delivered, as many as ``AnimationFrames`` holds.
  /// Default: no, they are decoded as they are shown.
  public var preloadsFrames: Bool?
  /// Whether the processors change all pictures of an animated image, each when it is shown. Default: no, what comes out
  /// of a processor is a still image.
  public var processesFrames: Bool?

  /// Changes images on their way out; what the caches keep stays as it is. It runs at every delivery, previews included,
  /// on the thread that delivers, so it should be quick. Default: none.
  public var imageModifier: (@Sendable (DecodedImage) -> DecodedImage)?
  /// Where the closure given to ``ImagePipeline/task(for:onCompletion:)`` is called. Default: ``CallbackExecutor/main``.
  public var callbackExecutor: CallbackExecutor?

  /// Creates options that leave everything open.
  public init() {}
}
