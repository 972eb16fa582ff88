public import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import HalcyonCache

/// Options for how images are loaded, cached and delivered.
///
/// Every option is optional; `nil` means that it is not set. An option that is not set in the request is taken from the
/// pipeline's ``PipelineConfiguration/options``, then from ``global``; otherwise the documented default applies.
///
/// ```swift
/// let request = ImageRequest(url: url) {
///   $0.waitsForStore = true
///   $0.storage = .photo
/// }
/// ```
///
/// Options apply however an image is loaded, unless their comment says otherwise. *Only bytes* are loaded by
/// ``ImagePipeline/data(for:onProgress:)``, ``ImagePipeline/info(for:)``, ``ImagePipeline/metadata(for:)`` and
/// prefetching to the store, unless ``storage`` encodes images. These, prefetching to memory, and ``ImagePipeline/encodedData(for:as:quality:byteLimit:metadata:)``, deliver *no image*.
public struct RequestOptions: Sendable {
  /// The order among waiting loads. Default: ``ImagePriority/normal``.
  ///
  /// ``ImageTask/priority`` changes it while the task is running. Prefetching has a priority of its own,
  /// ``ImagePrefetcher/priority``.
  public var priority: ImagePriority?
  /// The maximum duration of the load, including retries and alternatives. Default: no limit.
  ///
  /// The wait for a connection (``PipelineConfiguration/connectionLimits``), or for a host that has refused requests
  /// for some time, does not count. Single transfers are limited by ``PipelineConfiguration/transportLimits`` as well.
  public var timeout: Duration?
  /// Whether, and how often, a task delivers previews of a partly downloaded image. Default: ``PreviewPolicy/never``.
  ///
  /// Only tasks and views show previews.
  public var previews: PreviewPolicy?
  /// When a cached image is good enough, and when it is revalidated or downloaded again. Default:
  /// ``CachePolicy/standard``.
  public var cachePolicy: CachePolicy?
  /// Whether the decoded image is read from memory, and written to it. Default: ``CacheAccess/readWrite``.
  ///
  /// Requests with different access are not coalesced.
  public var memoryAccess: CacheAccess?
  /// Whether encoded bytes are read from the store, and written to it. Default: ``CacheAccess/readWrite``.
  ///
  /// Requests with different access are not coalesced.
  public var storeAccess: CacheAccess?
  /// Whether a stored image is revalidated by its `ETag`. Default: yes.
  ///
  /// Disable it for servers that send the same `ETag` for different images.
  public var usesETags: Bool?
  /// The cache in which the image is looked up and stored. Default: the pipeline's.
  public var cache: ImageCache?
  /// Whether the image is delivered only after writing it to the store has succeeded or failed. Default: no.
  ///
  /// It has no effect on images from memory. Prefetching to the store always waits.
  public var waitsForStore: Bool?
  /// The form in which the image is stored. Default: ``StoragePolicy/original``, the original bytes only.
  ///
  /// Applies to loads of images and to ``ImagePrefetcher``, also with the destination
  /// ``ImagePrefetcher/Destination/store``. ``ImagePipeline/data(for:onProgress:)`` and ``ImagePipeline/info(for:)``
  /// make no image that could be encoded: they read and store original bytes only, and none if the policy keeps no originals.
  /// The format of ``ImagePipeline/encodedData(for:as:quality:byteLimit:metadata:)`` replaces it. Animations are stored as
  /// their original bytes, whatever the policy is.
  public var storage: StoragePolicy?

  /// The expiration with which the image is put into memory. Default: ``MemoryCacheConfiguration/expiration``.
  ///
  /// No effect where only bytes are loaded, and on encoded data, which is not kept in memory.
  public var memoryExpiration: CacheExpiration?
  /// The expiration of the stored entries that this request writes or reads. Default: the store's expiration, for the
  /// disk cache ``DiskCacheConfiguration/expiration``.
  ///
  /// Also applies, in the background, to the entry of an image in memory; as do ``tags`` and ``isPinned``.
  public var storeExpiration: CacheExpiration?
  /// Tags added to the stored entries that this request writes or reads, by which these can be found and removed.
  /// Default: none.
  public var tags: [String]?
  /// Whether the stored entries that this request writes or reads are exempt from eviction
  /// (``DiskCache/setPinned(_:for:)``). Default: no.
  public var isPinned: Bool?

  /// Pixels per point of the screen, set as ``DecodedImage/scale`` of delivered images. Default: 1.
  ///
  /// No effect where no image is delivered.
  public var scale: Double?
  /// The colour space that the image is decoded to. Default: ``TargetColorSpace/sRGB``, in views of Apple's toolkits on wide
  /// screens ``TargetColorSpace/source``.
  ///
  /// Part of the cache key: images in different spaces are separate. Processors, placeholders and stored variants keep the
  /// space. No effect where only bytes are loaded.
  public var colorSpace: TargetColorSpace?
  /// The range of luminances of the image. Default: ``DynamicRange/standard``.
  ///
  /// With ``DynamicRange/high``, an image of a file with high dynamic range has half floats (``Bitmap/dynamicRange``), which
  /// take twice the memory, and a file made of it keeps the range where its format can. Where a processor changes colours or
  /// draws, the image is standard. Part of the cache key. No effect where only bytes are loaded.
  public var dynamicRange: DynamicRange?
  /// The most pixels of an image in its original size: a larger one is decoded at the largest size that has no more,
  /// instead of failing with ``ImageDecodingError/tooManyPixels(_:limit:)``. Default: `nil`, none is; in views, which show
  /// the whole picture, `Int.max`, which counts as ``ImageLimits/pixelCount``.
  ///
  /// The file itself may have as many pixels as ``ImageLimits`` allows for decoding at a smaller size: of JPEG and HEIC two
  /// and a half times as many. A number other than `Int.max` is part of the cache key. No effect with a
  /// ``ImageRequest/size``, and where only bytes are loaded.
  public var originalPixelLimit: Int?
  /// Whether a JPEG, PNG, GIF, BMP or WebP file that is truncated or damaged is decoded as far as possible, instead of
  /// failing. Default: no.
  ///
  /// The result has ``DecodedImage/isPartial`` set and is never cached; an animation ends with the damaged frame. No effect
  /// on other formats, and where only bytes are loaded.
  public var allowsPartialImage: Bool?
  /// Whether the image in the body of an error status, for example of 404 or 503, is loaded, as in browsers, instead of
  /// failing with ``ImageError/httpStatus(_:url:)``. Default: no.
  ///
  /// Some servers send a placeholder this way, for example for a user without an avatar. The request is then neither
  /// retried nor loaded from an alternative source; a body that is not an image is an error as without the option. Such
  /// an image is cached only if its response has a lifetime (`max-age` or `Expires`), and no longer than that. Requests
  /// with and without the option share no caches. No effect on sources other than web servers.
  public var allowsErrorImage: Bool?
  /// Which frames of an animated image are loaded, preloaded and processed. Default: `.frames()`.
  ///
  /// No effect where only bytes are loaded, and on encoded data, which has the first frame only.
  public var animation: AnimationPolicy?

  /// Modifies images on delivery; cached images are not affected. Default: none.
  ///
  /// Called for every delivery, previews included, on the delivering thread, so it should be fast. No effect where no
  /// image is delivered.
  public var imageModifier: (@Sendable (DecodedImage) -> DecodedImage)?

  /// Values of the caller that travel with the request, to ``ImageTask/request``, ``PipelineEvent/Kind/created(_:)`` and
  /// ``ImageResponse/userInfo``. Default: none.
  ///
  /// They are part of no cache key. Calls without a response do not deliver them.
  public var userInfo: [String: any Sendable]?
  /// Whether the response has the encoded bytes, ``ImageResponse/encodedData``. Default: no.
  ///
  /// No effect on calls without a response.
  public var keepsEncodedData: Bool?

  var retryHook: RequestHook<any RetryStrategy>?
  var modifierHook: RequestHook<any RequestModifier>?
  var redirectHook: RequestHook<RedirectHandler>?
  var validatorHook: RequestHook<ResponseValidator>?
  var transformHook: RequestHook<DataTransform>?
  var decoderHook: DecoderHook?

  /// Creates options, all `nil`.
  public init() {}
}

extension RequestOptions {
  private static let shared = Lock(RequestOptions())

  /// Defaults for all pipelines, for options that their ``PipelineConfiguration/options`` do not set. Default:
  /// all `nil`.
  ///
  /// A pipeline reads them once, when it is created; the shared pipeline is created on first use. Set them at program
  /// start. Safe from any thread.
  public static var global: RequestOptions {
    get { shared.withLock(\.self) }
    set { shared.replace(with: newValue) }
  }
}
