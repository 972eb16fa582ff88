#if URLSESSION
import HalcyonSupport
public import HalcyonHTTP
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport on one long-lived `URLSession`, without a URL cache.
///
/// The system decodes contents, so requests accept the encodings that it knows; it sends no body with a GET request.
/// May be shared by any number of pipelines.
public final class URLSessionTransport: Transport {
  private static let connectionLimit = 1000
  /// In seconds. ``SessionTransfer`` enforces the timeouts; a larger number overflows in Foundation for Linux.
  private static let longestInterval: TimeInterval = 86_400

  /// Responds to an authentication challenge, as `URLSessionTaskDelegate` does: for a server's certificate, for a client
  /// certificate, or for a password.
  ///
  /// Called in a task of its own for each challenge, several at once; the transfer waits, and its timeouts count. A
  /// cancelled challenge is a ``TransportError/secureConnectionFailed(host:reason:)``. Respond with
  /// `.performDefaultHandling` to challenges of other kinds.
  public typealias ChallengeHandler =
    @Sendable (URLAuthenticationChallenge) async -> (
      URLSession.AuthChallengeDisposition, URLCredential?
    )

  private let session: URLSession
  /// The interval of each request; `nil` leaves that of the configuration, which a request would override.
  private let interval: TimeInterval?
  private let delegate: SessionDelegate

  /// Creates a transport with a session of its own.
  ///
  /// - Parameters:
  ///   - configuration: Copied. Its cookies, proxies, protocol classes, timeouts, and its access to cellular, expensive and
  ///     constrained networks apply; its URL cache does not, as the pipeline has its own. With `waitsForConnectivity` only
  ///     ``TransportLimits/totalTimeout`` and the configuration's timeouts end a transfer that waits. Default: `nil`, an
  ///     ephemeral one without cookies and with as many connections to a host as the pipeline opens.
  ///   - challengeHandler: Responds to authentication challenges, for example to pin certificates. Default: `nil`, the
  ///     system does.
  public init(configuration: URLSessionConfiguration? = nil, challengeHandler: ChallengeHandler? = nil) {
    interval = configuration == nil ? Self.longestInterval : nil
    let configuration = Self.uncached(configuration ?? Self.standardConfiguration)
    delegate = SessionDelegate(challengeHandler)
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private static var standardConfiguration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    // The pipeline limits the connections to each host.
    configuration.httpMaximumConnectionsPerHost = connectionLimit
    return configuration
  }

  private static func uncached(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    guard let copy = configuration.copy() as? URLSessionConfiguration else { return configuration }
    copy.urlCache = nil
    copy.requestCachePolicy = .reloadIgnoringLocalCacheData
    return copy
  }

  /// Creates a transport, provided that it can enforce the policy.
  ///
  /// - Throws: ``TransportError/addressPolicyUnsupported`` for any policy but `.any`: `URLSession` does not report which
  ///   IP address it is about to connect to.
  public convenience init(addressPolicy: AddressPolicy) throws(TransportError) {
    guard addressPolicy == .any else { throw .addressPolicyUnsupported }
    self.init()
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Sends a request and returns once the head of the response has been received; see `Transport`.
  public func response(to request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    guard request.signature == nil else { throw TransportError.signatureUnsupported }
    guard request.method != .get || request.body == nil else {
      throw TransportError.failed(reason: "URLSession sends no body with a GET request; use POST")
    }
    var urlRequest = URLRequest(url: request.url)
    if let interval { urlRequest.timeoutInterval = interval }
    urlRequest.httpMethod = request.method.name
    urlRequest.httpBody = request.body
    for field in request.headers.fields where field.isSendable {
      urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
    }
    let task = session.dataTask(with: urlRequest)
    let transfer = SessionTransfer(task: task, request: request)
    delegate.add(transfer, for: task)
    return try await withTaskCancellationHandler {
      task.resume()
      transfer.watchTimeouts()
      let head = try await transfer.transfer.head()
      let reader = SessionBodyReader(transfer: transfer)
      return TransportResponse(
        status: head.status, headers: head.headers,
        body: TransportBody(timings: { reader.timings }) { try await reader.next() })
    } onCancel: {
      transfer.cancel()
    }
  }
}

/// Reads the body of a transfer; cancels the transfer when released.
private final class SessionBodyReader: Sendable {
  private let transfer: SessionTransfer

  init(transfer: SessionTransfer) {
    self.transfer = transfer
  }

  deinit { transfer.cancel() }

  var timings: TransportTimings? { transfer.transfer.timings }

  func next() async throws -> Data? {
    try await withTaskCancellationHandler {
      try await transfer.next()
    } onCancel: {
      transfer.cancel()
    }
  }
}

/// Forwards the session's callbacks to the transfer of the task.
private final class SessionDelegate: NSObject, URLSessionDataDelegate {
  private let transfers = Lock<[Int: SessionTransfer]>([:])
  private let challengeHandler: URLSessionTransport.ChallengeHandler?

  init(_ challengeHandler: URLSessionTransport.ChallengeHandler?) { self.challengeHandler = challengeHandler }

  func add(_ transfer: SessionTransfer, for task: URLSessionTask) {
    transfers.withLock { $0[task.taskIdentifier] = transfer }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Also called for the challenges of connections, since there is no method of the session for them.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let challengeHandler else { return completionHandler(.performDefaultHandling, nil) }
    let transfer = transfers.withLock { $0[task.taskIdentifier] }
    Task {
      let (disposition, credential) = await challengeHandler(challenge)
      if disposition == .cancelAuthenticationChallenge { transfer?.rejectChallenge() }
      completionHandler(disposition, credential)
    }
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    transfers.withLock { $0[task.taskIdentifier] }?.waitForConnectivity()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    transfers.withLock { $0[dataTask.taskIdentifier] }?.receive(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfers.withLock { $0[dataTask.taskIdentifier] }?.receive(data)
  }

  /// Called before the completion. Foundation for Linux does not call it.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    transfers.withLock { $0[task.taskIdentifier] }?.receive(metrics)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.end(error)
  }
}
#endif
