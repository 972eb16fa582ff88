import Foundation
import Halcyon
import HalcyonBackend
import HalcyonHTTP
import HalcyonSupport
import HalcyonTransport

/// The temporary keys of a role, renewed some minutes before they expire. Calls share one renewal.
actor RoleCredentials {
  /// How long keys must remain valid.
  private static let margin = 300.0

  private let source: CredentialSource
  private let time: any TimeSource
  private let transport = CurlTransport()
  private var current: (keys: S3Credentials, end: Date)?
  private var renewal: Task<(keys: S3Credentials, end: Date), any Error>?

  init(_ source: CredentialSource, time: any TimeSource) { (self.source, self.time) = (source, time) }

  /// The storage with the keys that are valid now.
  ///
  /// - Throws: ``SourceError/noCredentials`` if they cannot be renewed.
  func storage(_ storage: S3Storage) async throws -> S3Storage {
    let keys = try await credentials()
    guard
      let signed = S3Storage(
        region: storage.region, endpoint: storage.endpoint, addressing: storage.addressing, credentials: keys)
    else { throw SourceError.noCredentials }
    return signed
  }

  private func credentials() async throws -> S3Credentials {
    if let current, current.end.timeIntervalSince(time.now()) > Self.margin { return current.keys }
    let task = renewal ?? Task { try await Self.renewed(source, transport) }
    renewal = task
    do {
      let renewed = try await task.value
      (current, renewal) = (renewed, nil)
      return renewed.keys
    } catch {
      renewal = nil
      // The old ones may last a little longer.
      if let current, current.end > time.now() { return current.keys }
      throw SourceError.noCredentials
    }
  }

  private static func renewed(
    _ source: CredentialSource, _ transport: CurlTransport
  ) async throws -> (keys: S3Credentials, end: Date) {
    guard let text = try await text(of: try await request(source, transport), transport), let keys = keys(in: text)
    else {
      throw SourceError.noCredentials
    }
    return keys
  }

  /// The request whose response has the keys.
  private static func request(
    _ source: CredentialSource, _ transport: CurlTransport
  ) async throws -> TransportRequest {
    switch source {
    case .webIdentity(let file, let role, let endpoint):
      var request = TransportRequest(url: endpoint, method: .post)
      request.headers["Content-Type"] = "application/x-www-form-urlencoded"
      let fields = [
        ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
        ("RoleSessionName", "halcyon-serve"), ("WebIdentityToken", try token(inFile: file)),
      ]
      request.body = Data(fields.map { "\($0)=\(encoded($1))" }.joined(separator: "&").utf8)
      return request
    case .container(let url, let token, let tokenFile):
      var request = TransportRequest(url: url)
      if let token = try tokenFile.map({ try Self.token(inFile: $0) }) ?? token {
        request.headers["Authorization"] = token
      }
      return request
    case .instance(let server):
      var session = TransportRequest(url: server.appending(path: "latest/api/token"), method: .put)
      session.headers["X-aws-ec2-metadata-token-ttl-seconds"] = "300"
      let folder = server.appending(path: "latest/meta-data/iam/security-credentials/")
      guard let token = try await text(of: session, transport) else { throw SourceError.noCredentials }
      var names = TransportRequest(url: folder)
      names.headers["X-aws-ec2-metadata-token"] = token
      guard let role = try await text(of: names, transport)?.split(whereSeparator: \.isNewline).first else {
        throw SourceError.noCredentials
      }
      var request = names
      request.url = folder.appending(path: String(role))
      return request
    }
  }

  /// The text of a response; `nil` unless its status is 200.
  private static func text(of request: TransportRequest, _ transport: CurlTransport) async throws -> String? {
    var request = request
    request.limits = TransportLimits(connectTimeout: .seconds(2), totalTimeout: .seconds(10))
    let response = try await transport.response(to: request)
    var body = Data()
    for try await piece in response.body where body.count < 1 << 20 { body += piece }
    return response.status == 200 ? String(decoding: body, as: UTF8.self) : nil
  }

  /// The keys in a JSON object, or in XML.
  private static func keys(in text: String) -> (keys: S3Credentials, end: Date)? {
    func value(_ names: String...) -> String? {
      for name in names {
        for pattern in ["<\(name)>\\s*([^<]+?)\\s*</\(name)>", "\"\(name)\"\\s*:\\s*\"([^\"]*)\""] {
          guard let match = text.range(of: pattern, options: .regularExpression) else { continue }
          let found = text[match]
          let separator: Character = found.hasPrefix("<") ? ">" : ":"
          let rest = found[found.index(after: found.firstIndex(of: separator) ?? found.startIndex)...]
          let end = found.hasPrefix("<") ? rest.firstIndex(of: "<") ?? rest.endIndex : rest.endIndex
          return rest[..<end].trimmingCharacters(in: CharacterSet(charactersIn: "\" \n\t")).replacing("\\/", with: "/")
        }
      }
      return nil
    }
    guard let id = value("AccessKeyId"), let secret = value("SecretAccessKey"),
      let end = value("Expiration").flatMap({ try? Date($0, strategy: .iso8601) })
    else { return nil }
    return (
      S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: value("SessionToken", "Token")), end
    )
  }

  private static func token(inFile file: String) throws -> String {
    try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func encoded(_ text: String) -> String {
    let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}

extension RoleCredentials: Hashable {
  static func == (left: RoleCredentials, right: RoleCredentials) -> Bool { left === right }

  nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
