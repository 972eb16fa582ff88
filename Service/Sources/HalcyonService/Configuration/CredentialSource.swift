public import Foundation

/// Where temporary keys of a role come from, as the environment says.
public enum CredentialSource: Hashable, Sendable {
  /// A token in a file is exchanged for keys of a role (`AWS_WEB_IDENTITY_TOKEN_FILE`), as in Kubernetes.
  case webIdentity(tokenFile: String, role: String, endpoint: URL)
  /// A URL has the keys (`AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`, else `AWS_CONTAINER_CREDENTIALS_FULL_URI`), with the
  /// token that it needs or the file of the token.
  case container(URL, token: String?, tokenFile: String?)
  /// The URL of the metadata server of an EC2 machine, which has the keys of the machine's role.
  case instance(URL)

  /// Reads the environment; `nil` if it names no role.
  ///
  /// - Parameter isOnInstance: Whether the machine's role is used if the environment names none, unless
  ///   `AWS_EC2_METADATA_DISABLED` says otherwise.
  init?(_ environment: [String: String], region: String, isOnInstance: Bool = false) {
    if let file = environment["AWS_WEB_IDENTITY_TOKEN_FILE"], let role = environment["AWS_ROLE_ARN"],
      let endpoint = URL(string: environment["AWS_ENDPOINT_URL_STS"] ?? "https://sts.\(region).amazonaws.com")
    {
      self = .webIdentity(tokenFile: file, role: role, endpoint: endpoint)
      return
    }
    let relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"].map { "http://169.254.170.2" + $0 }
    guard let url = (relative ?? environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"]).flatMap({ URL(string: $0) }) else {
      let server = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? "http://169.254.169.254"
      guard isOnInstance, environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true",
        let url = URL(string: server)
      else { return nil }
      self = .instance(url)
      return
    }
    self = .container(
      url, token: environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"],
      tokenFile: environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"])
  }
}
