/// The options and properties of requests by name, and the paths on which they have an effect.
///
/// `OptionTableTests` compares it with the options. The tests of an option take their paths from
/// ``LoadPath/affected(by:)``, so they are called on every path without an exception here.
enum RequestOption: String, CaseIterable, Sendable {
  case priority, timeout, previews, keepsPreviews
  case cachePolicy, freshness, usesETags, showsStaleFirst, targetCache, originalCache, waitsForStore
  case storage, keepsOriginal
  case memoryExpiration, storeExpiration, tags, isPinned
  case fileExtension
  case usesOriginalSize, downsamplingScale, scaleFactor, allowsPartialImage, allowsErrorImage
  case firstFrameOnly, preloadsFrames, processesFrames
  case imageModifier, callbackExecutor, userInfo, returnsEncodedData
  case retryStrategy, requestModifier, redirectHandler, responseValidator, streamTransform, dataTransform
  case transport, decoder
  case size, processors, method, body, headers, identity, alternatives, lowDataSource

  /// Why an option has no effect on a path.
  enum NoEffect: Sendable {
    /// Prefetching has a priority of its own.
    case prefetchPriority
    /// Only tasks and views show previews.
    case noPreviews
    /// Only tasks show a stale image first because of the option; views always do, and other calls deliver one image.
    case oneImage
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
    /// Only tasks have a completion that the executor calls.
    case noCompletion
    /// No file is written.
    case noFile
  }

  /// Why the option has no effect on a path; `nil` where it has one.
  func exception(on path: LoadPath) -> NoEffect? {
    exceptions.first { $0.paths.contains(path) }?.reason
  }

  private var exceptions: [(reason: NoEffect, paths: [LoadPath])] {
    let noPixels = (NoEffect.bytesOnly, LoadPath.bytesOnly)
    switch self {
    case .priority: return [(.prefetchPriority, LoadPath.prefetches)]
    case .previews, .keepsPreviews: return [(.noPreviews, LoadPath.all(except: LoadPath.tasks + [.view]))]
    case .showsStaleFirst: return [(.oneImage, LoadPath.all(except: LoadPath.tasks))]
    case .waitsForStore: return [(.alwaysWaits, [.prefetchToStore])]
    case .storage:
      let bytes = LoadPath.bytesOnly.filter { $0 != .prefetchToStore }
      return [(.bytesOnly, bytes), (.formatOfCall, LoadPath.encoding), (.storedAsIs, [.animation])]
    case .keepsOriginal: return [(.storedAsIs, [.animation])]
    case .memoryExpiration: return [noPixels, (.notInMemory, LoadPath.encoding)]
    case .fileExtension: return [(.noFile, LoadPath.all(except: [.file, .animation, .variant]))]
    case .size, .processors, .usesOriginalSize, .downsamplingScale: return [noPixels, (.plan, [.plannedResponse])]
    case .allowsPartialImage: return [noPixels]
    case .firstFrameOnly, .processesFrames: return [noPixels, (.firstFrame, LoadPath.encoding)]
    case .scaleFactor, .preloadsFrames, .imageModifier, .userInfo, .returnsEncodedData:
      return [(.noImage, LoadPath.bytesOnly + [.prefetchToMemory] + LoadPath.encoding)]
    case .callbackExecutor: return [(.noCompletion, LoadPath.all(except: LoadPath.tasks))]
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
