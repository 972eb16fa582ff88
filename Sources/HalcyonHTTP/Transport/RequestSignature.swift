/// A signature that a transport adds to a request when it is sent: AWS Signature Version 4.
///
/// A redirect to another origin is sent without it. ``Transport`` conformers that cannot sign throw
/// ``TransportError/signatureUnsupported``.
package struct RequestSignature: Hashable, Sendable {
  /// The key that signs.
  package struct Key: Hashable, Sendable {
    /// The identifier of the key, which is sent.
    package var id: String
    /// The secret with which requests are signed, which is never sent.
    package var secret: String
    /// The token of temporary credentials.
    package var sessionToken: String?

    package init(id: String, secret: String, sessionToken: String? = nil) {
      (self.id, self.secret, self.sessionToken) = (id, secret, sessionToken)
    }
  }

  /// One reference, since requests are copied and wait in large numbers.
  private final class Content: Hashable, Sendable {
    let key: Key
    let region: String
    let service: String

    init(_ key: Key, _ region: String, _ service: String) {
      (self.key, self.region, self.service) = (key, region, service)
    }

    static func == (left: Content, right: Content) -> Bool {
      left.key == right.key && left.region == right.region && left.service == right.service
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(region)
    }
  }

  private let content: Content

  /// Creates a signature.
  ///
  /// - Parameters:
  ///   - key: The key that signs.
  ///   - region: The region of the service, such as `eu-central-1`.
  ///   - service: The name of the service. Default: `s3`.
  package init(key: Key, region: String, service: String = "s3") { content = Content(key, region, service) }

  /// The key that signs.
  package var key: Key { content.key }
  /// The region of the service.
  package var region: String { content.region }
  /// The name of the service.
  package var service: String { content.service }
}

extension RequestSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The service and its region, without the keys.
  package var description: String { "RequestSignature(\(service) in \(region))" }
  /// The service and its region, without the keys.
  package var debugDescription: String { description }
  /// No children.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
