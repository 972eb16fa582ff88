import HalcyonSupport
public import HalcyonCache
public import HalcyonPipeline

extension ImagePipeline {
  private static let replacement = Lock<ImagePipeline?>(nil)
  private static let standard = ImagePipeline()

  /// The pipeline of views and prefetchers that are given no other.
  ///
  /// The default is made on first use, unless another pipeline is set before: its disk cache is in
  /// `DiskCache.defaultDirectory`, a folder of this program; its memory cache is emptied under memory pressure.
  ///
  /// Safe from any thread, before and between uses. A view keeps the pipeline that was shared when it first loaded an
  /// image; loads in flight continue in theirs.
  public static var shared: ImagePipeline {
    get { replacement.withLock(\.self) ?? standard }
    set { replacement.replace(with: newValue) }
  }
}

extension ImagePrefetcher {
  /// Creates a prefetcher for ``ImagePipeline/shared``, the one that is shared now.
  ///
  /// See ``init(pipeline:destination:priority:concurrencyLimit:)`` for the parameters.
  public convenience init(
    destination: Destination = .memory, priority: ImagePriority = .low, concurrencyLimit: Int = 5
  ) {
    self.init(pipeline: .shared, destination: destination, priority: priority, concurrencyLimit: concurrencyLimit)
  }
}
