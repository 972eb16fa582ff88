import Foundation
import Halcyon
import HalcyonBackend
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Keys of roles that the environment of a container names.
@Suite(.integrationTest)
struct RoleCredentialsTests {
  private static func end(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: 1_700_000_000 + seconds).formatted(.iso8601)
  }

  @Test func `sources are signed with keys of a container's role, renewed before they expire`() async throws {
    let clock = TestClock()
    let endpoint = try #require(URL(string: "https://s3.example.com"))
    let storage = try #require(S3Storage(region: "eu-central-1", endpoint: endpoint))
    try await ImageServer.run { server in
      let url = server.serve("/keys") { request in
        let count = server.requests(for: "/keys").count
        return .body(
          Data(
            """
            {"AccessKeyId": "id\(count)", "SecretAccessKey": "a\\/b", "Token": "\(request.headers["Authorization"] ?? "")",
            "Expiration": "\(Self.end(Double(count) * 3600))"}
            """.utf8))
      }
      let environment = [
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": url.absoluteString, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "pass",
      ]
      let source = try #require(CredentialSource(environment, region: "eu-central-1"))
      let role = RoleCredentials(source, time: clock)
      async let other = role.storage(storage)
      let first = try #require(try await role.storage(storage).credentials)
      #expect(try await other.credentials == first && server.requests.count == 1)
      #expect(first == S3Credentials(accessKeyID: "id1", secretAccessKey: "a/b", sessionToken: "pass"))
      clock.advance(by: .seconds(3200))
      #expect(try await role.storage(storage).credentials?.accessKeyID == "id1")
      clock.advance(by: .seconds(200))
      #expect(try await role.storage(storage).credentials?.accessKeyID == "id2")
    }
  }

  @Test func `the role of a container counts where the environment has no keys`() throws {
    let environment = [
      "IMGPROXY_USE_S3": "1", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/a",
      "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1/b",
    ]
    let url = try #require(URL(string: "http://169.254.170.2/v2/credentials/a"))
    let role = try configuration(environment).storageRole
    #expect(role == CredentialSource.container(url, token: nil, tokenFile: nil))
    let keys = environment.merging(["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"]) { $1 }
    #expect(try configuration(keys).storageRole == nil)
    // That of an instance counts only where it is asked for, and not beside a bucket of results.
    let instance = CredentialSource.instance(try #require(URL(string: "http://169.254.169.254")))
    #expect(try configuration(["IMGPROXY_USE_S3": "1"]).storageRole == instance)
    let own = ["--insecure", "--s3-region", "eu-west-3"]
    for (arguments, role) in [
      (["--s3-instance-role"], instance), ([], nil), (["--s3-instance-role", "--s3-results", "thumbs"], nil),
    ] as [([String], CredentialSource?)] {
      #expect(try configuration(own + arguments).storageRole == role, "\(arguments)")
    }
  }

  @Test func `the role of an instance has keys for the token of a session`() async throws {
    try await ImageServer.run { server in
      _ = server.serve("/latest/api/token") { request in
        let isSession = request.method == "PUT" && request.headers["X-aws-ec2-metadata-token-ttl-seconds"] != nil
        return isSession ? .body(Data("session".utf8)) : .status(405)
      }
      let folder = "/latest/meta-data/iam/security-credentials/"
      let keys = """
        {"Code": "Success", "AccessKeyId": "id", "SecretAccessKey": "s", "Token": "t", "Expiration": "\(Self.end(3600))"}
        """
      for (path, text) in [(folder, "photos-role\n"), (folder + "photos-role", keys)] {
        _ = server.serve(path) { request in
          request.headers["X-aws-ec2-metadata-token"] == "session" ? .body(Data(text.utf8)) : .status(401)
        }
      }
      let url = server.serve("/", .status(404))
      let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": url.absoluteString]
      #expect(CredentialSource(environment, region: "eu-central-1") == nil, "only where it is asked for")
      let source = try #require(CredentialSource(environment, region: "eu-central-1", isOnInstance: true))
      let storage = try #require(S3Storage(region: "eu-central-1", endpoint: url))
      let role = RoleCredentials(source, time: TestClock())
      let expected = S3Credentials(accessKeyID: "id", secretAccessKey: "s", sessionToken: "t")
      #expect(try await role.storage(storage).credentials == expected)
      #expect(server.requests.count == 3)
      let disabled = environment.merging(["AWS_EC2_METADATA_DISABLED": "true"]) { $1 }
      #expect(CredentialSource(disabled, region: "a", isOnInstance: true) == nil)
    }
  }

  @Test func `a token is exchanged for keys of a role`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "token")
      try Data("a b/c\n".utf8).write(to: file)
      try await ImageServer.run { server in
        let response = """
          <AssumeRoleWithWebIdentityResponse><Credentials><SessionToken>t</SessionToken>
          <SecretAccessKey>s</SecretAccessKey><Expiration>\(Self.end(3600))</Expiration>
          <AccessKeyId>id</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResponse>
          """
        let url = server.serve("/", .body(Data(response.utf8)), .status(403))
        let environment = [
          "AWS_WEB_IDENTITY_TOKEN_FILE": file.path, "AWS_ROLE_ARN": "arn:aws:iam::1:role/x",
          "AWS_ENDPOINT_URL_STS": url.absoluteString,
        ]
        let source = try #require(CredentialSource(environment, region: "eu-central-1"))
        let clock = TestClock()
        let role = RoleCredentials(source, time: clock)
        let storage = try #require(S3Storage(region: "eu-central-1", endpoint: url))
        let keys = S3Credentials(accessKeyID: "id", secretAccessKey: "s", sessionToken: "t")
        #expect(try await role.storage(storage).credentials == keys)
        let body = String(decoding: server.requests[0].body, as: UTF8.self)
        #expect(
          body.contains("WebIdentityToken=a%20b%2Fc") && body.contains("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx"))
        // Keys that cannot be renewed are used as long as they last.
        clock.advance(by: .seconds(3500))
        #expect(try await role.storage(storage).credentials == keys)
        clock.advance(by: .seconds(200))
        await #expect(throws: SourceError.noCredentials) { try await role.storage(storage) }
        // The token of a container may be in a file, which counts before another one.
        let json = #"{"AccessKeyId": "id", "SecretAccessKey": "s", "Expiration": "\#(Self.end(36_000))"}"#
        let address = server.serve("/keys", .body(Data(json.utf8)))
        let container = CredentialSource.container(address, token: "other", tokenFile: file.path)
        _ = try await RoleCredentials(container, time: clock).storage(storage)
        #expect(server.requests(for: "/keys").first?.headers["Authorization"] == "a b/c")
      }
    }
    #expect(CredentialSource([:], region: "a") == nil)
  }
}
