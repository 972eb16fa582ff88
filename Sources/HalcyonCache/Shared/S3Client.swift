import Foundation
import HalcyonHTTP
import HalcyonSupport

/// The requests of an ``S3Store``.
struct S3Client: Sendable {
  /// An object, or its first bytes.
  struct Object {
    let data: Data
    /// Its entity tag.
    let version: String?
  }

  /// A part of the list of a bucket's keys.
  struct List {
    var names: [String]
    var nextToken: String?
  }

  private static let listByteLimit = 4 << 20
  private static let errorByteLimit = 16 << 10

  let storage: S3Storage
  let bucket: String
  let configuration: S3StoreConfiguration
  let transport: any Transport
  let time: any TimeSource

  /// An object, or its first bytes; `nil` without one, or if it is over the limit.
  func object(_ name: String, byteCount: Int? = nil) async throws -> Object? {
    let range: HTTPHeaders = byteCount.map { ["Range": "bytes=0-\($0 - 1)"] } ?? [:]
    let limit = byteCount ?? configuration.entryByteLimit
    let response = try await send(.get, try url(name), range, byteLimit: limit)
    switch response.status {
    case 200, 206:
      guard let data = response.data ?? (byteCount == nil ? nil : response.prefix) else { return nil }
      return Object(data: data, version: response.headers["ETag"])
    case 404 where response.code != "NoSuchBucket": return nil
    // An object without a byte.
    case 416: return nil
    default: throw response.error
    }
  }

  /// Stores an object.
  ///
  /// - Parameter version: The entity tag of the object to be replaced; `nil` for any, or none.
  /// - Returns: Whether it still was that one.
  func put(_ data: Data, _ name: String, version: String?) async throws -> Bool {
    var headers: HTTPHeaders = ["Content-Type": "application/octet-stream"]
    headers["If-Match"] = version
    let response = try await send(.put, try url(name), headers, body: data, byteLimit: Self.errorByteLimit)
    if version != nil, [404, 409, 412].contains(response.status), response.code != "NoSuchBucket" { return false }
    guard response.isSuccess else { throw response.error }
    return true
  }

  func remove(_ name: String) async throws {
    let response = try await send(.delete, try url(name), [:], byteLimit: Self.errorByteLimit)
    guard response.isSuccess || response.status == 404 && response.code != "NoSuchBucket" else { throw response.error }
  }

  func list(_ prefix: String, token: String?) async throws -> List {
    guard let url = storage.listURL(bucket: bucket, prefix: prefix, token: token) else {
      throw S3StoreError.malformedList
    }
    let response = try await send(.get, url, [:], byteLimit: Self.listByteLimit)
    guard response.isSuccess else { throw response.error }
    guard let data = response.data else { throw S3StoreError.malformedList }
    let text = String(decoding: data, as: UTF8.self)
    guard text.contains("ListBucketResult") else { throw S3StoreError.malformedList }
    let next = text.elements("NextContinuationToken").first
    // A list that goes on without end is not followed.
    return List(names: text.elements("Key"), nextToken: next == token ? nil : next)
  }

  private func url(_ name: String) throws -> URL {
    guard let url = storage.url(bucket: bucket, key: name) else {
      throw S3StoreError.refused(status: 0, code: "InvalidKey")
    }
    return url
  }

  /// Sends a request, again after failures that may pass.
  private func send(
    _ method: HTTPMethod, _ url: URL, _ headers: HTTPHeaders, body: Data? = nil, byteLimit: Int
  ) async throws -> Response {
    var request = TransportRequest(url: url, method: method, headers: headers, body: body)
    request.limits.connectTimeout = min(request.limits.connectTimeout, configuration.timeout)
    request.limits.idleTimeout = configuration.timeout
    request.limits.totalTimeout = configuration.timeout
    request = storage.signed(request)
    for attempt in 0..<configuration.retryCount {
      do {
        let response = try await response(to: request, byteLimit: byteLimit)
        guard response.isTransient else { return response }
      } catch let error as TransportError where error.isTransient {}
      try await time.sleep(for: configuration.retryInterval * (1 << attempt))
    }
    return try await response(to: request, byteLimit: byteLimit)
  }

  private func response(to request: TransportRequest, byteLimit: Int) async throws -> Response {
    let response = try await transport.response(to: request)
    let isSuccess = (200..<300).contains(response.status)
    let limit = isSuccess ? byteLimit : Self.errorByteLimit
    var data = Data()
    if let count = response.expectedByteCount, isSuccess { data.reserveCapacity(min(count, limit)) }
    for try await piece in response.body {
      data += piece
      if data.count > limit { return Response(status: response.status, headers: response.headers, prefix: data) }
    }
    return Response(status: response.status, headers: response.headers, data: data, prefix: data)
  }
}

/// A response of the storage.
private struct Response {
  let status: Int
  let headers: HTTPHeaders
  /// The body; `nil` if it is over the limit.
  var data: Data?
  /// The first bytes of the body.
  let prefix: Data

  var isSuccess: Bool { (200..<300).contains(status) }

  /// Whether the same request may succeed a moment later.
  var isTransient: Bool { status == 429 || (500...504).contains(status) && status != 501 }

  /// The code of an error.
  var code: String { isSuccess ? "" : String(decoding: prefix, as: UTF8.self).elements("Code").first ?? "" }

  var error: S3StoreError { .refused(status: status, code: code) }
}

extension TransportError {
  /// Whether the same request may succeed a moment later.
  fileprivate var isTransient: Bool {
    switch self {
    case .hostNotFound, .connectionFailed, .connectTimedOut, .idleTimedOut, .connectionLost, .failed: true
    default: false
    }
  }
}

extension String {
  /// The texts of all XML elements of a name that contain only text. Those with entities, which no name of a store has,
  /// are left as they are.
  fileprivate func elements(_ name: String) -> [String] {
    var elements: [String] = []
    var rest = self[...]
    while let start = rest.range(of: "<\(name)>"), let end = rest[start.upperBound...].range(of: "</\(name)>") {
      elements.append(String(rest[start.upperBound..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return elements
  }
}
