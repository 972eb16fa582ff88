import Foundation
import Halcyon
import HalcyonBackend
@_spi(Programs) import HalcyonHTTP
import Synchronization

/// Sends requests to the region of their bucket: the storage refuses one for a bucket of another region, and names that
/// region.
///
/// Regions are remembered until a thousand buckets are known, and found out again then.
final class BucketRegions: Sendable {
  private static let countLimit = 1_000

  private let storage: S3Storage
  private let role: RoleCredentials?
  /// The regions of buckets that are not in the region of the storage.
  private let regions = Mutex<[String: String]>([:])

  init(_ storage: S3Storage, role: RoleCredentials?) { (self.storage, self.role) = (storage, role) }

  /// The response to a request, which is sent again, and signed again, only if it has been signed for the region of the
  /// storage: a stranger's request to the storage remains one.
  ///
  /// - Parameter send: Sends a request once.
  func response(
    to request: TransportRequest, send: (TransportRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    guard request.isSigned, storage.contains(request.url) else { return try await send(request) }
    let bucket = bucket(of: request.url)
    if let region = regions.withLock({ $0[bucket] }), let moved = try await moved(request, to: region) {
      return try await send(moved)
    }
    let response = try await send(request)
    // Amazon's: PermanentRedirect, which has no location, and AuthorizationHeaderMalformed.
    guard [301, 400].contains(response.status), let region = response.headers["x-amz-bucket-region"],
      let moved = try await moved(request, to: region)
    else { return response }
    regions.withLock { regions in
      if regions.count >= Self.countLimit { regions = [:] }
      regions[bucket] = region
    }
    return try await send(moved)
  }

  /// The request to the storage of another region, on the same domain; `nil` if that is no region or the same.
  private func moved(_ request: TransportRequest, to region: String) async throws -> TransportRequest? {
    guard region != storage.region, (1...32).contains(region.utf8.count),
      region.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }),
      let endpoint = url(storage.endpoint, in: region), let url = url(request.url, in: region)
    else { return nil }
    let signer = try await role?.storage(storage) ?? storage
    let other = S3Storage(
      region: region, endpoint: endpoint, addressing: storage.addressing, credentials: signer.credentials)
    var request = request
    request.url = url
    return other?.signed(request)
  }

  /// A URL of the storage with the region in its host, where the host names one: `s3.eu-west-3.amazonaws.com`.
  private func url(_ url: URL, in region: String) -> URL? {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = parts.host,
      let suffix = storage.endpoint.host(), host.hasSuffix(suffix)
    else { return nil }
    let labels =
      suffix == "s3.amazonaws.com" ? ["s3", storage.region, "amazonaws", "com"] : suffix.components(separatedBy: ".")
    parts.host = host.dropLast(suffix.count) + labels.map { $0 == storage.region ? region : $0 }.joined(separator: ".")
    return parts.url
  }

  /// The host, with the bucket where that is in the path.
  private func bucket(of url: URL) -> String {
    let host = url.host() ?? ""
    return host == storage.endpoint.host() ? host + "/" + (url.pathComponents.dropFirst().first ?? "") : host
  }
}
