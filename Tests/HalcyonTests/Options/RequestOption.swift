/// The options and properties of requests by name, and the paths on which they have an effect.
///
/// `OptionTableTests` compares it with the options. The tests of an option take their paths from
/// ``LoadPath/affected(by:)``, so they are called on every path without an exception here.
enum RequestOption: String, CaseIterable, Sendable {
  case priority, timeout, previews
  case cachePolicy, memoryAccess, storeAccess, usesETags, cache, waitsForStore
  case storage
  case memoryExpiration, storeExpiration, tags, isPinned
  case scale, colorSpace, dynamicRange, originalPixelLimit, allowsPartialImage, allowsErrorImage, animation
  case imageModifier, userInfo, keepsEncodedData
  case retryStrategy, requestModifier, redirectHandler, responseValidator, dataTransform, decoder
  case size, region, processors, method, body, headers, identity, alternatives, lowDataSource

  /// Why an option has no effect on a path.
  enum NoEffect: Sendable {
    /// Prefetching has a priority of its own.
    case prefetchPriority
    /// Only tasks and views show previews.
    case noPreviews
    /// Prefetching to the store always waits for it.
    case alwaysWaits
    /// Only bytes are loaded, which have no pixels and are not kept in memory.
    case bytesOnly
    /// An animation is stored as its original bytes, whatever the options say.
    case storedAsIs
    /// The call has a format of its own.
    case formatOfCall
    /// The plan of the call has a size and processors of its own.
    case plan
    /// An encoded image is not kept in memory.
    case notInMemory
    /// An encoded image has the first frame only.
    case firstFrame
    /// No image is delivered.
    case noImage
  }

  /// Why the option has no effect on a path; `nil` where it has one.
  func exception(on path: LoadPath) -> NoEffect? {
    exceptions.first { $0.paths.contains(path) }?.reason
  }

  private var exceptions: [(reason: NoEffect, paths: [LoadPath])] {
    let noPixels = (NoEffect.bytesOnly, LoadPath.bytesOnly)
    switch self {
    case .priority: return [(.prefetchPriority, LoadPath.prefetches)]
    case .previews: return [(.noPreviews, LoadPath.all(except: LoadPath.tasks + [.view]))]
    case .waitsForStore: return [(.alwaysWaits, [.prefetchToStore])]
    case .storage:
      let bytes = LoadPath.bytesOnly.filter { $0 != .prefetchToStore }
      return [(.bytesOnly, bytes), (.formatOfCall, LoadPath.encoding), (.storedAsIs, [.animation])]
    case .memoryExpiration: return [noPixels, (.notInMemory, LoadPath.encoding)]
    case .size, .region, .processors, .originalPixelLimit: return [noPixels, (.plan, [.plannedResponse])]
    case .colorSpace, .dynamicRange, .allowsPartialImage: return [noPixels]
    case .animation: return [noPixels, (.firstFrame, LoadPath.encoding)]
    case .scale, .imageModifier, .userInfo, .keepsEncodedData:
      return [(.noImage, LoadPath.bytesOnly + [.prefetchToMemory] + LoadPath.encoding)]
    default: return []
    }
  }
}

extension LoadPath {
  /// The paths on which at least one of these options has an effect.
  static func affected(by options: RequestOption...) -> [LoadPath] {
    allCases.filter { path in options.contains { $0.exception(on: path) == nil } }
  }

  fileprivate static func all(except paths: [LoadPath]) -> [LoadPath] { allCases.filter { !paths.contains($0) } }
}
