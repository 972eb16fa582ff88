import Foundation
import HTTPTypes
import Halcyon
import HalcyonBackend

/// The header fields that connect the requests of a distributed trace, passed on from a client to the source.
struct TraceFields: Sendable {
  /// The fields of the request that is being worked on. Of requests that share a fetch, the first one's fields are
  /// sent.
  @TaskLocal static var current = HTTPHeaders()

  /// The valid tracing fields of a request, and its identifier.
  static func fields(of request: HTTPFields, id: String) -> HTTPHeaders {
    var fields: HTTPHeaders = ["X-Request-ID": id]
    if let parent = request[.traceParent], isTraceParent(parent) {
      fields["traceparent"] = parent
      if let state = request[.traceState], state.utf8.count <= 512, state.utf8.allSatisfy({ (32...126).contains($0) }) {
        fields["tracestate"] = state
      }
    }
    return fields
  }

  /// Whether a text is a version, a trace, a parent and flags in hexadecimal digits (W3C Trace Context, 3.2).
  private static func isTraceParent(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.map(\.utf8.count) == [2, 32, 16, 2]
      && parts.allSatisfy { $0.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) } }
  }
}

/// Adds the tracing fields to requests to sources, and signs requests to the storage.
struct SourceModifier: RequestModifier, Hashable {
  let storage: S3Storage?
  /// The keys of ``storage`` if it has none of its own.
  var role: RoleCredentials?

  var identity: String? { role == nil ? storage?.identity : "s3 role" }

  func modify(_ request: TransportRequest) async throws -> TransportRequest {
    try WorkloadTicket.current?.beginFetch(from: Self.host(of: request.url))
    var request = request
    if let storage { request = try await (role?.storage(storage) ?? storage).signed(request) }
    for field in TraceFields.current.fields { request.headers[field.name] = field.value }
    return request
  }

  private static func host(of url: URL) -> String { "\(url.host() ?? ""):\(url.port ?? 0)" }
}
