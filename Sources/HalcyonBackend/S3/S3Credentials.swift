/// The keys of a user of S3-compatible storage.
///
/// Descriptions and dumps do not contain the secrets.
public struct S3Credentials: Hashable, Sendable {
  /// The identifier of the key, which is sent.
  public var accessKeyID: String
  /// The secret with which requests are signed, which is never sent.
  public var secretAccessKey: String
  /// The token of temporary credentials. Default: `nil`, none.
  public var sessionToken: String?

  /// Creates credentials.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type, without the keys.
  public var description: String { "S3Credentials(secret)" }
  /// The type, without the keys.
  public var debugDescription: String { description }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
