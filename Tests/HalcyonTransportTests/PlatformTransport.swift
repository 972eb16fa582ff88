import HalcyonTransport
import Testing

/// The transport that the suites for every transport test.
#if URLSESSION
typealias PlatformTransport = URLSessionTransport
#else
typealias PlatformTransport = CurlTransport
#endif

/// What `CurlTransport` does and `URLSession` does not.
enum URLSessionGap: String {
  /// Contents are decoded by the system, with the encodings and the tolerance of its decoder.
  case contentDecoding
  /// A GET request with a body is refused.
  case bodyOfGET
  /// Fields whose names differ in case only are in no order.
  case fieldOrder
}

/// What `URLSession` does on Apple's platforms and not in Foundation for Linux.
enum LinuxFoundationGap: String {
  /// There are no task metrics: no timings, and a timeout before the response is the idle timeout.
  case metrics
  /// A task cannot be suspended while it receives: all that the server sends is buffered.
  case backPressure
  /// A task that receives is sometimes not ended by its cancellation.
  case cancellation
  /// The response with a challenge is passed on before the handler is asked, and the task waits for ever if the handler
  /// has no credential.
  case challenges
  /// Errors of libcurl that are not about the connection have the code `unknown`.
  case errorCodes
}

extension Trait where Self == ConditionTrait {
  static func requires(_ gap: URLSessionGap) -> Self {
    #if URLSESSION
    .disabled("URLSession lacks \(gap)")
    #else
    .enabled(if: true)
    #endif
  }

  static func requires(_ gap: LinuxFoundationGap) -> Self {
    #if URLSESSION && canImport(FoundationNetworking)
    .disabled("URLSession of Foundation for Linux lacks \(gap)")
    #else
    .enabled(if: true)
    #endif
  }
}
