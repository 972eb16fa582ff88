import HalcyonCache
import HalcyonHTTP

/// When the beginning of a body is kept, and when a request asks for its rest. The response decides as well:
/// ``PartialBody/init(data:metadata:usesETags:)`` and ``PartialBody/isContinued(by:)``.
extension HTTPRequest {
  /// Whether the request resumes a download that an earlier load began, if the store has its beginning.
  var mayResume: Bool {
    resumesStoredBody && content == nil && cachePolicy.readsStore && cache.store != nil && !cacheFields.isConditional
  }
}

extension ImageError {
  /// Whether the bytes received before the error are valid, so that the download can be resumed.
  var allowsResuming: Bool {
    switch self {
    case .transport(let error, _): error.isTransient
    case .cancelled: true
    default: false
    }
  }
}
