import Foundation
import HalcyonBackend
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct SharedCredentialsTests {
  private static let text = """
    # keys
    [default]
    aws_access_key_id = first
    aws_secret_access_key=one=1
    region = eu-west-3
    [ other ]
    AWS_ACCESS_KEY_ID = second
    aws_secret_access_key = two
    aws_session_token = token
    """

  @Test func `the keys of a profile are read from the file`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "credentials")
      try Data(Self.text.utf8).write(to: file)
      func keys(_ environment: [String: String]) throws -> [String?] {
        var environment = environment
        environment["AWS_SHARED_CREDENTIALS_FILE"] = file.path
        environment["IMGPROXY_USE_S3"] = "true"
        let keys = try configuration(environment).storage?.credentials
        return [keys?.accessKeyID, keys?.secretAccessKey, keys?.sessionToken]
      }
      #expect(try keys([:]) == ["first", "one=1", nil])
      #expect(try keys(["AWS_PROFILE": "other"]) == ["second", "two", "token"])
      #expect(try keys(["AWS_PROFILE": "missing"]) == [nil, nil, nil])
      #expect(try keys(["AWS_ACCESS_KEY_ID": ""]) == ["first", "one=1", nil])
      // The environment comes first, also its role.
      #expect(try keys(["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"]) == ["a", "b", nil])
      let role = ["AWS_SHARED_CREDENTIALS_FILE": file.path, "AWS_WEB_IDENTITY_TOKEN_FILE": "/token"]
      #expect(SharedCredentials.adding(to: role) == role)
    }
  }
}
