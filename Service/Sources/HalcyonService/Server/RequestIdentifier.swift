import HTTPTypes
import Synchronization

/// The identifier of a request, for the log, the response and the source.
enum RequestIdentifier {
  /// The identifier that the client sent, if it is harmless, or a new one.
  static func text(of headers: HTTPFields) -> String {
    let given = headers[.requestID] ?? ""
    let isValid =
      (1...64).contains(given.utf8.count) && given.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    return isValid ? given : prefix + String(count.add(1, ordering: .relaxed).newValue, radix: 16)
  }

  /// Random bits, so that no other process makes the same identifiers.
  private static let prefix = String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16) + "-"
  private static let count = Atomic<UInt64>(0)
}
