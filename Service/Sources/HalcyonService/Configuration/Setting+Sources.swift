import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonBackend

extension Setting {
  /// The settings of what is fetched, and from where.
  static let sources: [Setting] = [
    list(
      "sources", "URL,…", \.configuration.allowedSources,
      "The sources that may be fetched, such as https://*.host/path/, s3://bucket/ and local:///folder/. Empty is all.",
      expected: "a URL such as https://images.example.com/photos/", element: SourcePattern.init(_:),
      text: { $0.description }),
    list(
      "redirect-sources", "URL,…", \.configuration.allowedRedirects,
      "Where sources may redirect to in addition to those of sources, such as https://cdn.example.com/, or https:// for all.",
      expected: "a URL such as https://cdn.example.com/", element: SourcePattern.init(_:), text: { $0.description }),
    flag("any-address", \.allowsAnyAddress, "Connect also to private addresses and to this machine."),
    list(
      "allowed-addresses", "CIDR,…", \.configuration.addressPolicy.allowed,
      "Private IP addresses that may be connected to.",
      expected: "a range such as 10.20.0.0/16", element: { AddressRange($0) }, text: { "\($0)" }),
    text(
      "user-agent", "TEXT", \.configuration.userAgent,
      "The User-Agent of requests to sources; by default the library's."),
    number("redirects", \.configuration.redirectLimit, in: 0...1000, "The most redirects of a source."),
    number(
      "source-connections", \.configuration.sourceConnections, in: 1...10_000, "The most requests to sources in flight."
    ),
    number(
      "source-connections-per-host", \.configuration.sourceConnectionsPerHost, in: 1...10_000,
      "The most requests to one host in flight."),
    folder("local-root", \.configuration.localRoot, "The folder of sources with local:/// URLs."),
    text(
      "s3-region", "REGION", \.storage.region,
      "The region of sources with s3://BUCKET/KEY URLs, such as eu-central-1."),
    optional(
      "s3-endpoint", "URL", \.storage.endpoint, "The URL of S3-compatible storage; by default Amazon's.",
      expected: "a URL such as https://s3.example.com",
      read: { URL(string: $0).flatMap { ["http", "https"].contains($0.scheme) ? $0 : nil } },
      text: { $0.absoluteString }),
    flag("s3-path-style", \.storage.isPathStyle, "The bucket is in the path, not in the host, of s3-endpoint."),
    list(
      "s3-buckets", "NAME,…", \.configuration.allowedBuckets, "The buckets of sources; empty is all.",
      expected: "names of buckets such as photos", element: { $0.isEmpty ? nil : $0.lowercased() }, text: { $0 }),
    list(
      "s3-denied-buckets", "NAME,…", \.configuration.deniedBuckets, "Buckets of which no source is fetched.",
      expected: "names of buckets such as private", element: { $0.isEmpty ? nil : $0.lowercased() }, text: { $0 }),
    text("s3-access-key", "ID", \.storage.accessKey, isSecret: true, "The identifier of the key that signs."),
    text("s3-secret-key", "KEY", \.storage.secretKey, isSecret: true, "The key that signs requests to the storage."),
    flag(
      "s3-instance-role", \.usesInstanceRole, "Sign with keys of the role of this EC2 instance, if there are no others."
    ),
    text("s3-session-token", "TOKEN", \.storage.sessionToken, isSecret: true, "The token of temporary keys."),
  ]
}
