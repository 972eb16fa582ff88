import HalcyonHTTP

/// Options in a list: `loading: [.reload, .withoutETags]`.
extension RequestOptions: ExpressibleByArrayLiteral {
  /// The options that the elements set; a later element wins over an earlier one.
  public init(arrayLiteral elements: RequestOptions...) { self = elements.reduce(RequestOptions()) { $1.over($0) } }

  /// Downloads the image again, whatever the caches have: ``CachePolicy/reload``.
  public static let reload = with { $0.cachePolicy = .reload }
  /// Loads the image from the caches only: ``CachePolicy/cacheOnly``.
  public static let cacheOnly = with { $0.cachePolicy = .cacheOnly }
  /// Neither reads the store nor writes to it: ``storeAccess`` is ``CacheAccess/disabled``.
  public static let memoryOnly = with { $0.storeAccess = .disabled }
  /// Revalidates without `ETag`: ``usesETags`` is `false`.
  public static let withoutETags = with { $0.usesETags = false }
  /// Stores the image as a PNG, which keeps transparency: ``StoragePolicy/sticker``.
  public static let sticker = with { $0.storage = .sticker }

  private static func with(_ configure: (inout RequestOptions) -> Void) -> RequestOptions {
    var options = RequestOptions()
    configure(&options)
    return options
  }
}
