/// What a cache says about the answer to a request.
public enum ValidationOutcome: Sendable {
  /// The answer goes to whoever asked. With a draft it may be kept, once its body is there and right.
  case deliver(StorableResponse?)
  /// The stored answer is served: a 304 renewed it, or it stands in for an error.
  case serve(StoredEntry)
  /// The 304 is about something that is not stored: send the request again as ``CacheLookup/unconditional``.
  case fetchUnconditionally
}
