import Foundation
import HTTPTypes
@_spi(Programs) import HalcyonPipeline
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

/// Adds the tracing fields to requests to sources, and signs those to the storage that are for its objects.
struct SourceModifier: RequestAdmission, Hashable {
  /// `nil` signs nothing.
  let bucket: StorageBucket?

  var identity: String? { bucket?.identity }

  func admit(_ url: URL) throws { try WorkloadTicket.current?.beginFetch(from: Self.host(of: url)) }

  func modify(_ request: TransportRequest) async throws -> TransportRequest {
    var request = request
    if let bucket { request = try await bucket.signed(request) }
    for field in TraceFields.current.fields { request.headers[field.name] = field.value }
    return request
  }

  private static func host(of url: URL) -> String { "\(url.host() ?? ""):\(url.port ?? 0)" }
}

/// A bucket of the storage that sources may be in, and the keys that sign requests for its objects.
struct StorageBucket: Hashable, Sendable {
  let storage: S3Storage
  let name: String
  /// The keys of ``storage`` if it has none of its own.
  let role: RoleCredentials?
  /// The sources that may be fetched; empty is all.
  let allowed: [SourcePattern]

  var identity: String? { role == nil ? storage.identity : "s3 role" }

  /// The request with the signature; one that a redirect has sent elsewhere remains without.
  ///
  /// - Throws: ``SourceError/notAllowed`` for other objects of the storage, which the signature would open.
  func signed(_ request: TransportRequest) async throws -> TransportRequest {
    guard storage.contains(request.url) else { return request }
    guard mayRead(request.url) else { throw SourceError.notAllowed }
    return try await (role?.storage(storage) ?? storage).signed(request)
  }

  private func mayRead(_ url: URL) -> Bool {
    guard let example = storage.url(bucket: name, key: "-"), url.host() == example.host() else { return false }
    let (path, start) = (url.path(percentEncoded: true).utf8, example.path(percentEncoded: true).utf8.dropLast())
    guard path.starts(with: start),
      let object = SourceURL("s3://\(name)/" + String(decoding: path.dropFirst(start.count), as: UTF8.self))
    else { return false }
    return allowed.isEmpty || allowed.contains { $0.matches(object) }
  }
}
