/// A signature that a transport adds to a request when it is sent: AWS Signature Version 4.
///
/// A redirect to another origin is sent without it. ``Transport`` conformers that cannot sign throw
/// ``TransportError/signatureUnsupported``.
public struct RequestSignature: Hashable, Sendable {
  /// One reference, since requests are copied and wait in large numbers.
  private final class Content: Hashable, Sendable {
    let credentials: S3Credentials
    let region: String
    let service: String

    init(_ credentials: S3Credentials, _ region: String, _ service: String) {
      (self.credentials, self.region, self.service) = (credentials, region, service)
    }

    static func == (left: Content, right: Content) -> Bool {
      left.credentials == right.credentials && left.region == right.region && left.service == right.service
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(credentials)
      hasher.combine(region)
    }
  }

  private let content: Content

  /// Creates a signature.
  ///
  /// - Parameters:
  ///   - credentials: The keys of the user.
  ///   - region: The region of the service, such as `eu-central-1`.
  ///   - service: The name of the service. Default: `s3`.
  public init(credentials: S3Credentials, region: String, service: String = "s3") {
    content = Content(credentials, region, service)
  }

  /// The keys of the user.
  public var credentials: S3Credentials { content.credentials }
  /// The region of the service.
  public var region: String { content.region }
  /// The name of the service.
  public var service: String { content.service }
}

extension RequestSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The service and its region, without the keys.
  public var description: String { "RequestSignature(\(service) in \(region))" }
  /// The service and its region, without the keys.
  public var debugDescription: String { description }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
