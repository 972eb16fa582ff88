/// How to handle a response, after ``HTTPCache/outcome(of:to:)``.
public enum ValidationOutcome: Sendable {
  /// Deliver the response to the client. If it is storable, store it once its body is complete and valid.
  case deliver(StorableResponse?)
  /// Serve the stored response: it was validated by a 304, or is served in place of an error.
  case serve(StoredEntry)
  /// Send the request again as ``CacheLookup/unconditional``: the 304 does not match the stored response.
  case fetchUnconditionally
}
