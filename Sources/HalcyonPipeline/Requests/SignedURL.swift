public import Foundation

/// Keys for addresses that are signed anew each time they are handed out.
///
/// A signed address changes although the image does not. What is dropped from the key is said explicitly, by the
/// service, so that no parameter that changes the image is dropped by mistake.
///
/// ```swift
/// let request = ImageRequest(source: SignedURL.amazonS3.source(url))
/// ```
///
/// Whoever can guess the key finds the image in the caches, its signature expired or not: give users who may see
/// different images different values of ``ImageRequest/identity``.
public struct SignedURL: Hashable, Sendable {
  /// The query parameters that are no part of the key, in lower case.
  public var parameters: Set<String>

  /// Creates a rule that drops query parameters by name, whatever its case.
  public init(dropping parameters: Set<String>) {
    self.parameters = Set(parameters.map { $0.lowercased() })
  }

  /// Amazon S3, signature version 2 and 4, and services that copy it.
  public static let amazonS3 = SignedURL(dropping: [
    "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature",
    "X-Amz-Security-Token", "AWSAccessKeyId", "Signature", "Expires",
  ])
  /// Google Cloud Storage, version 2 and 4.
  public static let googleCloudStorage = SignedURL(dropping: [
    "X-Goog-Algorithm", "X-Goog-Credential", "X-Goog-Date", "X-Goog-Expires", "X-Goog-SignedHeaders",
    "X-Goog-Signature", "GoogleAccessId", "Signature", "Expires",
  ])
  /// Azure Storage with a shared access signature.
  public static let azure = SignedURL(dropping: [
    "sv", "ss", "srt", "sp", "se", "st", "spr", "sig", "sip", "si", "sr", "skoid", "sktid", "skt", "ske", "sks", "skv",
  ])
  /// Amazon CloudFront.
  public static let cloudFront = SignedURL(dropping: ["Expires", "Signature", "Key-Pair-Id", "Policy"])

  /// The address without its signature: the key.
  public func key(for url: URL) -> String {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.absoluteString }
    let kept = (parts.percentEncodedQueryItems ?? []).filter { !parameters.contains($0.name.lowercased()) }
    parts.percentEncodedQueryItems = kept.isEmpty ? nil : kept
    return parts.string ?? url.absoluteString
  }

  /// A source that is loaded from the address and kept under the key.
  public func source(_ url: URL) -> ImageSource { .keyed(url, key: key(for: url)) }
}
