import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport

/// The arguments of one `setImage` call.
struct ViewRequest {
  /// The image to load, with the default options of the pipeline filled in; `nil` shows only the placeholder.
  let request: ImageRequest?
  let placeholder: ImagePlaceholder?
  private(set) var options: ImageViewOptions
  /// The pipeline of the load, its retries and reloads.
  let pipeline: ImagePipeline
  /// Whether this repeats a request that has failed.
  var isRetry = false

  init(
    _ request: ImageRequest?, _ placeholder: ImagePlaceholder?, _ options: ImageViewOptions, _ pipeline: ImagePipeline
  ) {
    self.request = request.map { pipeline.completed($0) }
    self.options = options.completed(by: pipeline)
    self.placeholder = placeholder ?? self.options.placeholder
    self.pipeline = pipeline
  }

  /// The same load with another placeholder and other options, except for those with which it has begun.
  ///
  /// - Parameter priority: `nil` for the default of the pipeline.
  func with(
    _ options: ImageViewOptions, _ placeholder: ImagePlaceholder?, priority: ImagePriority?
  ) -> ViewRequest {
    var request = request
    if request?.priority != priority { request?.priority = priority }
    var next = ViewRequest(request, placeholder, options, pipeline)
    next.isRetry = isRetry
    (next.options.transitionGroup, next.options.sizing) = (self.options.transitionGroup, self.options.sizing)
    return next
  }

  /// Whether the image is decoded at the size of the display.
  private var usesDisplaySize: Bool { request?.size == nil && options.sizing != .original }

  /// The request at the size of the display; `nil` if it needs that size and there is none yet.
  @MainActor func sized(for display: any ImageDisplay) -> SizedRequest? {
    guard let request else { return nil }
    let sized = sized(request, for: display)
    return usesDisplaySize && sized.pixelSize == nil ? nil : sized
  }

  /// Another request, for example for the low-resolution image, at the size of the display.
  @MainActor func sized(_ other: ImageRequest, for display: any ImageDisplay) -> SizedRequest {
    var sized = unmapped(other, for: display)
    // A whole picture that is too large is shown smaller.
    if (sized.request.size ?? .original) == .original, sized.request.originalPixelLimit == nil {
      sized.request.originalPixelLimit = .max
    }
    sized.request = pipeline.resolved(sized.request)
    return sized
  }

  @MainActor private func unmapped(_ other: ImageRequest, for display: any ImageDisplay) -> SizedRequest {
    var request = pipeline.completed(other)
    if request.colorSpace == nil, display.displayColorSpace != .sRGB { request.colorSpace = display.displayColorSpace }
    guard case .view(let factor) = options.sizing ?? .view, request.size == nil,
      let space = DisplaySpace(display, scale: display.displayScale * factor.clamped(to: ViewSizing.factors, nan: 1))
    else { return SizedRequest(request: request) }
    return SizedRequest(request, in: space)
  }

  /// The request of the first load: a retry contacts the server even if the pipeline remembers the failure, and the view
  /// itself shows stale images first.
  func forFirstLoad(_ sized: SizedRequest) -> SizedRequest {
    var sized = sized
    if isRetry, sized.request.resolved.cachePolicy.usesNetwork { sized.request.cachePolicy = .revalidate }
    if sized.request.cachePolicy == .staleFirst { sized.request.cachePolicy = .standard }
    return sized
  }

  /// The image in memory that is shown at once: a fresh one, or one that is revalidated while it is shown.
  func cachedImage(_ lookup: MemoryLookup, for request: ImageRequest) -> DecodedImage? {
    switch lookup {
    case .hit(let image): image
    case .stale(let image): request.resolved.cachePolicy.followsHTTP ? pipeline.delivered(image, for: request) : nil
    case .miss: nil
    }
  }

  /// Whether both load the same image, apart from its size on the display.
  func isSame(as other: ViewRequest) -> Bool { matches(other) { $0 } }

  /// Whether both load the same bytes, at any size and with any processors.
  func loadsSameBytes(as other: ViewRequest) -> Bool {
    matches(other) { request in
      var bytes = request
      (bytes.size, bytes.region, bytes.processors) = (.original, nil, [])
      return bytes
    }
  }

  private func matches(_ other: ViewRequest, _ part: (ImageRequest) -> ImageRequest) -> Bool {
    guard let request, let otherRequest = other.request, pipeline === other.pipeline else { return false }
    let keys = [request, otherRequest].map { ImagePipeline.cacheKey(for: pipeline.resolved(part($0))) }
    return keys[0] == keys[1]
  }

  /// The time after which the placeholder is shown.
  var placeholderDelay: Duration {
    placeholder?.delay ?? options.placeholderDelay ?? PlaceholderTiming.defaultDelay
  }

  @MainActor var placeholderContent: DisplayContent {
    DisplayContent(placeholder?.picture ?? .none, role: .placeholder)
  }

  /// The transition of an image from this origin.
  func transition(from origin: ImageOrigin) -> ImageTransition {
    let origins = options.transitionOrigins ?? [.network, .provider, .file, .inline]
    return origins.contains(origin) ? options.transition ?? .immediate : .immediate
  }
}
