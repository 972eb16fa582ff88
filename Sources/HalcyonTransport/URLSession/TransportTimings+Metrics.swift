#if URLSESSION
import Foundation
import HalcyonHTTP
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportTimings {
  /// The timings of the last transaction of a task; `nil` if it has none.
  ///
  /// - Parameter received: The bytes of the body, after decompression; used where the metrics do not count them.
  init?(_ metrics: URLSessionTaskMetrics, received: Int) {
    guard let transaction = metrics.transactionMetrics.last, let start = transaction.fetchStartDate else { return nil }
    func elapsed(_ date: Date?) -> Duration { date.map { .seconds(max(0, $0.timeIntervalSince(start))) } ?? .zero }
    let isReused = transaction.isReusedConnection
    #if canImport(Darwin)
    let received = Int(transaction.countOfResponseBodyBytesReceived)
    #endif
    self.init(
      nameLookup: isReused ? .zero : elapsed(transaction.domainLookupEndDate),
      connect: isReused ? .zero : elapsed(transaction.secureConnectionStartDate ?? transaction.connectEndDate),
      secureConnect: isReused ? .zero : elapsed(transaction.secureConnectionEndDate),
      firstByte: elapsed(transaction.responseStartDate),
      total: elapsed(transaction.responseEndDate ?? metrics.taskInterval.end),
      httpVersion: Self.version(transaction.networkProtocolName), reusedConnection: isReused,
      receivedByteCount: received)
  }

  /// The version in a name of ALPN, such as `http/1.1` or `h2`.
  static func version(_ name: String?) -> String {
    guard let name else { return "1.1" }
    return name.hasPrefix("http/") ? String(name.dropFirst(5)) : name.hasPrefix("h") ? String(name.dropFirst()) : name
  }
}

extension URLSessionTaskMetrics {
  /// Whether a connection was established or reused.
  var hasConnected: Bool {
    transactionMetrics.contains { $0.isReusedConnection || $0.connectEndDate != nil || $0.requestStartDate != nil }
  }
}
#endif
