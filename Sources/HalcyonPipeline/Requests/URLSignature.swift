import Foundation

/// The signature parameters of a URL, which change each time it is issued and are left out of the cache key.
///
/// The key is the URL without its signature parameters. These are listed explicitly, so that no parameter that
/// changes the image is dropped by mistake.
///
/// ```swift
/// let request = ImageRequest(source: .url(url, signature: .amazonS3))
/// ```
///
/// A request with the same key gets the cached image even if its signature is invalid or expired. If users have access
/// to different images, give them different values of ``ImageRequest/identity``.
public struct URLSignature: Hashable, Sendable {
  /// The query parameters that are not part of the key, in lower case.
  private let parameters: Set<String>

  /// Creates a rule that drops query parameters by name, ignoring case.
  public init(dropping parameters: Set<String>) {
    self.parameters = Set(parameters.map { $0.lowercased() })
  }

  /// Amazon S3 and compatible services, signature versions 2 and 4.
  public static let amazonS3 = URLSignature(dropping: [
    "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
    "X-Amz-Security-Token", "AWSAccessKeyId", "Signature", "Expires",
  ])

  /// The cache key: the URL without its signature parameters.
  func key(for url: URL) -> String {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.absoluteString }
    let kept = (parts.percentEncodedQueryItems ?? []).filter { !parameters.contains($0.name.lowercased()) }
    parts.percentEncodedQueryItems = kept.isEmpty ? nil : kept
    return parts.string ?? url.absoluteString
  }
}
