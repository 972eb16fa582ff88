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
    /// Counts the bytes in the limit of all reads.
    fileprivate let reservation: ReadBudget.Reservation?
  }

  /// How a body is read.
  private enum Reading {
    /// The whole body, unless it is longer.
    case whole(byteLimit: Int)
    /// Only the first `byteCount` bytes.
    case prefix(byteCount: Int)
    /// The value of an entry, refused by its length, then by its first bytes.
    case entry(CacheKey)
  }

  private static let listByteLimit = 4 << 20
  private static let errorByteLimit = 16 << 10

  let storage: S3Storage
  let bucket: String
  let configuration: S3StoreConfiguration
  let transport: any Transport
  let time: any TimeSource
  private let budget: ReadBudget

  init(
    storage: S3Storage, bucket: String, configuration: S3StoreConfiguration, transport: any Transport,
    time: any TimeSource
  ) {
    (self.storage, self.bucket, self.configuration) = (storage, bucket, configuration)
    (self.transport, self.time) = (transport, time)
    budget = ReadBudget(byteLimit: configuration.readByteLimit)
  }

  /// The object of an entry, which begins as one, or the reason of the miss.
  func object(_ name: String, for key: CacheKey) async throws -> CacheResult<Object> {
    let response = try await send(.get, try url(name), [:], .entry(key))
    switch response.status {
    case 200:
      guard let data = response.data else { return .miss(response.miss ?? .absent) }
      return .hit(Object(data: data, version: response.headers["ETag"], reservation: response.reservation))
    case 404 where response.code != "NoSuchBucket": return .miss(.absent)
    default: throw response.error
    }
  }

  /// The first bytes of an object; `nil` without one.
  func prefix(_ name: String, byteCount: Int) async throws -> Data? {
    let range: HTTPHeaders = ["Range": "bytes=0-\(byteCount - 1)"]
    let response = try await send(.get, try url(name), range, .prefix(byteCount: byteCount))
    switch response.status {
    case 200, 206: return response.data
    case 404 where response.code != "NoSuchBucket": return nil
    // The range of an empty object.
    case 416: return nil
    default: throw response.error
    }
  }

  /// Throws unless the bucket exists and may be used with the credentials.
  func checkBucket() async throws {
    guard let list = storage.listURL(bucket: bucket, prefix: configuration.prefix, after: nil),
      var parts = URLComponents(url: list, resolvingAgainstBaseURL: true)
    else { throw S3StoreError.refused(status: 0, code: "InvalidBucketName") }
    parts.percentEncodedQuery = nil
    guard let url = parts.url else { throw S3StoreError.refused(status: 0, code: "InvalidBucketName") }
    let head = try await send(.head, url, [:], .whole(byteLimit: Self.errorByteLimit))
    guard !head.isSuccess else { return }
    // A list, since the response to `HEAD` has no body, and so no reason.
    let response = try await send(.get, list, [:], .prefix(byteCount: 1))
    if !response.isSuccess { throw response.error }
  }

  /// Stores an object.
  ///
  /// - Parameter version: The entity tag of the object to be replaced; `nil` for any, or none.
  /// - Returns: Whether the object was stored; `false` if it is no longer of that version.
  func put(_ data: Data, _ name: String, version: String?) async throws -> Bool {
    var headers: HTTPHeaders = ["Content-Type": "application/octet-stream"]
    headers["If-Match"] = version
    let response = try await send(.put, try url(name), headers, body: data, .whole(byteLimit: Self.errorByteLimit))
    if version != nil, [404, 409, 412].contains(response.status), response.code != "NoSuchBucket" { return false }
    guard response.isSuccess else { throw response.error }
    return true
  }

  func remove(_ name: String) async throws {
    let response = try await send(.delete, try url(name), [:], .whole(byteLimit: Self.errorByteLimit))
    guard response.isSuccess || response.status == 404 && response.code != "NoSuchBucket" else { throw response.error }
  }

  func list(_ prefix: String, after list: S3List?) async throws -> S3List {
    guard let url = storage.listURL(bucket: bucket, prefix: prefix, after: list) else {
      throw S3StoreError.malformedList
    }
    let response = try await send(.get, url, [:], .whole(byteLimit: Self.listByteLimit))
    guard response.isSuccess else { throw response.error }
    guard let list = response.data.flatMap({ S3List($0) }) else { throw S3StoreError.malformedList }
    return list
  }

  private func url(_ name: String) throws -> URL {
    guard let url = storage.url(bucket: bucket, key: name) else {
      throw S3StoreError.refused(status: 0, code: "InvalidKey")
    }
    return url
  }

  /// Sends a request, again after failures that may pass.
  private func send(
    _ method: HTTPMethod, _ url: URL, _ headers: HTTPHeaders, body: Data? = nil, _ reading: Reading
  ) async throws -> Response {
    var request = TransportRequest(url: url, method: method, headers: headers, body: body)
    request.limits.connectTimeout = min(request.limits.connectTimeout, configuration.timeout)
    request.limits.idleTimeout = configuration.timeout
    request.limits.totalTimeout = configuration.timeout
    request = storage.signed(request)
    for attempt in 0..<max(0, configuration.retryCount) {
      do {
        let response = try await response(to: request, reading)
        guard response.isTransient else { return response }
      } catch let error as TransportError where error.isTransient {}
      try await time.sleep(for: configuration.retryInterval.clamped * (1 << min(attempt, 20)))
    }
    return try await response(to: request, reading)
  }

  private func response(to request: TransportRequest, _ reading: Reading) async throws -> Response {
    let response = try await transport.response(to: request)
    var result = Response(status: response.status, headers: response.headers)
    switch reading {
    case _ where !result.isSuccess: result.data = try await prefix(of: response.body, byteCount: Self.errorByteLimit)
    case .prefix(let count): result.data = try await prefix(of: response.body, byteCount: count)
    case .whole(let limit):
      guard (response.expectedByteCount ?? 0) <= limit else { return result }
      let data = try await prefix(of: response.body, byteCount: limit + 1)
      if data.count <= limit { result.data = data }
    case .entry(let key): try await readEntry(response, for: key, into: &result)
    }
    return result
  }

  private func prefix(of body: TransportBody, byteCount: Int) async throws -> Data {
    var data = Data()
    for try await piece in body {
      data += piece
      if data.count >= byteCount { return data.prefix(byteCount) }
    }
    return data
  }

  /// Reads the value of an entry; if its first bytes do not begin an entry, no further.
  private func readEntry(_ response: TransportResponse, for key: CacheKey, into result: inout Response) async throws {
    let limit = configuration.entryByteLimit
    guard (response.expectedByteCount ?? 0) <= limit else { return }
    var data = Data()
    var byteCount: Int?
    for try await piece in response.body {
      data += piece
      if byteCount == nil, data.count >= SharedEntry.headerByteCount {
        byteCount = SharedEntry.byteCount(beginning: data, for: key)
        guard let byteCount, byteCount == response.expectedByteCount ?? byteCount else {
          return result.miss = SharedEntry.miss(of: data)
        }
        guard byteCount <= limit, let reservation = budget.reserve(byteCount) else { return }
        result.reservation = reservation
        data.reserveCapacity(byteCount)
      }
      if let byteCount, data.count > byteCount { return result.miss = .damaged }
    }
    result.data = data
  }
}

/// The bytes of the entries that are being read.
private final class ReadBudget: Sendable {
  /// A part of the budget, which it gets back when this is released.
  final class Reservation: Sendable {
    private let budget: ReadBudget
    private let byteCount: Int

    fileprivate init(_ budget: ReadBudget, _ byteCount: Int) { (self.budget, self.byteCount) = (budget, byteCount) }

    deinit { budget.used.withLock { $0 -= byteCount } }
  }

  private let byteLimit: Int
  private let used = Lock(0)

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// `nil` if less is left.
  func reserve(_ byteCount: Int) -> Reservation? {
    let isReserved = used.withLock { used in
      guard byteCount <= byteLimit - used else { return false }
      used += byteCount
      return true
    }
    return isReserved ? Reservation(self, byteCount) : nil
  }
}

/// A response of the storage.
private struct Response {
  let status: Int
  let headers: HTTPHeaders
  /// The body, or its first bytes if only those were wanted; `nil` if it was not read.
  var data: Data?
  /// Why the body of an entry was not read; `nil` if it is over a limit.
  var miss: CacheMiss?
  var reservation: ReadBudget.Reservation?

  var isSuccess: Bool { (200..<300).contains(status) }

  /// Whether the same request may succeed a moment later.
  var isTransient: Bool { status == 429 || (500...504).contains(status) && status != 501 }

  /// The code of an error.
  var code: String {
    guard !isSuccess, let data else { return "" }
    return S3Document(data).leaves.first { $0.path == "Error/Code" || $0.path == "Code" }?.text ?? ""
  }

  var error: S3StoreError { .refused(status: status, code: code) }
}

extension TransportError {
  /// Whether the same request may succeed a moment later.
  fileprivate var isTransient: Bool {
    switch self {
    case .hostNotFound, .connectionFailed, .connectTimedOut, .idleTimedOut, .connectionLost, .proxyFailed,
      .failed:
      true
    default: false
    }
  }
}
