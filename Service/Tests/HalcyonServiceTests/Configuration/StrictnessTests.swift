import Foundation
import Halcyon
import HalcyonBackend
import HalcyonHTTP
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// No variable of the environment makes the service less strict than its own settings.
@Suite(.unitTest)
struct StrictnessTests {
  private let keys = ["HALCYON_SERVE_KEYS": "736563726574", "HALCYON_SERVE_SALTS": "68656C6C6F"]

  /// Variables that applications and Kubernetes have for a proxy, and some that imgproxy itself has.
  private static let foreign = [
    ("IMGPROXY_URL", "http://imgproxy:8080"), ("IMGPROXY_ENDPOINT", "http://imgproxy:8080"),
    ("IMGPROXY_HOST", "imgproxy"), ("IMGPROXY_SERVICE_HOST", "10.0.0.1"), ("IMGPROXY_SERVICE_PORT", "8080"),
    ("IMGPROXY_SERVICE_PORT_HTTP", "8080"), ("IMGPROXY_PORT", "tcp://10.0.0.1:8080"),
    ("IMGPROXY_PORT_8080_TCP", "tcp://10.0.0.1:8080"), ("IMGPROXY_PORT_8080_TCP_PROTO", "tcp"),
    ("IMGPROXY_", "x"), ("IMGPROXY_key", "00"), ("IMGPROXY_KEYS", "00"), ("IMGPROXY_QUALITY2", "70"),
  ]

  @Test(arguments: foreign)
  func `a variable that imgproxy does not have changes nothing`(name: String, value: String) throws {
    #expect(throws: ConfigurationError.unsigned) { try configuration([name: value]) }
    let read = try configuration(keys.merging([name: value]) { $1 })
    #expect(!read.isInsecure && read.addressPolicy == .publicInternetOnly)
    // Beside a deployment of imgproxy neither.
    let deployed = try configuration(["IMGPROXY_KEY": "00", "IMGPROXY_SALT": "00", name: value])
    #expect(!deployed.isInsecure && deployed.keyPairs.count == 1)
  }

  @Test(arguments: [
    ("QUALITY", "70"), ("ALLOW_PRIVATE_SOURCE_ADDRESSES", "true"), ("ALLOW_LOOPBACK_SOURCE_ADDRESSES", "1"),
    ("ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", "t"), ("TRUSTED_SIGNATURES", "open"), ("SIGNATURE_SIZE", "8"),
    ("ALLOW_SECURITY_OPTIONS", "true"), ("SANITIZE_SVG", "false"), ("USE_ETAG", "true"), ("KEY", "00"), ("SALT", "00"),
  ])
  func `beside keys of its own the service is as strict as without the variable`(name: String, value: String) throws {
    let environment = keys.merging(["IMGPROXY_" + name: value]) { $1 }
    for arguments in [[], ["--quality", "3"]] {
      let read = try configuration(environment, arguments)
      #expect(!read.isInsecure && read.trustedSignatures.isEmpty && read.signatureByteCount == 32)
      #expect(read.keyPairs == [.init(key: Data("secret".utf8), salt: Data("hello".utf8))])
      #expect(read.addressPolicy == .publicInternetOnly && !read.allowsSecurityOptions && read.sanitizesSVG)
    }
  }

  @Test func `keys of flags and of the file count as much as those of the environment`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "service.conf")
      try Data("keys = 736563726574\nsalts = 68656C6C6F\n".utf8).write(to: file)
      for arguments in [["--config", file.path], ["--keys", "736563726574", "--salts", "68656C6C6F"]] {
        let read = try configuration(["IMGPROXY_QUALITY": "70"], arguments)
        #expect(!read.isInsecure && read.quality == 70 && read.addressPolicy == .publicInternetOnly)
      }
    }
  }

  @Test func `a service that says it is not insecure needs keys, whatever variables there are`() {
    for own in [
      ["HALCYON_SERVE_INSECURE": "false"], ["HALCYON_SERVE_KEYS": "", "HALCYON_SERVE_SALTS": ""],
      ["HALCYON_SERVE_SIGNATURE_SIZE": "16"],
    ] {
      let environment = own.merging(["IMGPROXY_QUALITY": "70"]) { $1 }
      #expect(throws: ConfigurationError.unsigned) { try configuration(environment) }
    }
  }

  @Test func `addresses of its own are the only ones`() throws {
    let environment = [
      "HALCYON_SERVE_ALLOWED_ADDRESSES": "10.1.0.0/16", "IMGPROXY_QUALITY": "70",
      "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true",
    ]
    let read = try configuration(environment)
    let range = try #require(AddressRange("10.1.0.0/16"))
    #expect(read.addressPolicy.allowed == [range])
    #expect(read.ignoredVariables == ["IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES"])
  }

  @Test(arguments: [
    "ENV_AWS_SECRET_ID", "ENV_AWS_SSM_PARAMETERS_PATH", "ENV_GCP_SECRET_ID", "ENV_GCP_KEY", "GCS_ALLOWED_BUCKETS",
    "ABS_DENIED_BUCKETS", "SWIFT_ALLOWED_BUCKETS", "S3_ACCESS_POINTS", "S3_USE_DECRYPTION_CLIENT",
    "ALLOWED_INFO_OPTIONS", "INFO_ONLY_PRESETS",
  ])
  func `what restricts or loads secrets and is not supported is not ignored`(name: String) throws {
    let name = "IMGPROXY_" + name
    for others in [[:], keys, ["IMGPROXY_KEY": "00", "IMGPROXY_SALT": "00"]] {
      let error = #expect(throws: ConfigurationError.self) { try configuration(others.merging([name: "1"]) { $1 }) }
      #expect(error?.description.hasPrefix("The service does not start with the variable \(name): ") == true)
    }
    // One that is off or empty restricts nothing.
    for value in ["false", ""] { #expect(try configuration(keys.merging([name: value]) { $1 }).ignoredVariables == []) }
  }

  @Test(arguments: [
    "HALCYON_SERVE_KEYS", "HALCYON_SERVE_SALTS", "IMGPROXY_KEY", "IMGPROXY_SALT", "IMGPROXY_SOURCE_URL_ENCRYPTION_KEY",
    "HALCYON_SERVE_SOURCE_ENCRYPTION_KEY", "HALCYON_SERVE_TRUSTED_SIGNATURES",
  ])
  func `an error does not show a secret that cannot be read`(name: String) throws {
    // A digit too many, and a slash that no signature has.
    let error = #expect(throws: ConfigurationError.self) { try configuration(keys.merging([name: "c0ffee/"]) { $1 }) }
    let text = try #require(error?.description)
    #expect(text.contains(name) && !text.contains("c0ffee"), "\(text)")
  }

  @Test(arguments: [
    ["IMGPROXY_ONLY_PRESETS": "yes"], ["IMGPROXY_ALLOWED_SOURCES": ","], ["IMGPROXY_ALLOWED_SOURCES": "example.com"],
    ["IMGPROXY_ALLOWED_PROCESSING_OPTIONS": " , "], ["IMGPROXY_SANITIZE_SVG": "on"], ["IMGPROXY_KEY": "00"],
    ["IMGPROXY_SALT": "00"], ["IMGPROXY_KEY": ",", "IMGPROXY_SALT": ","], ["IMGPROXY_USE_S3": "yes"],
    ["IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES": "no"], ["IMGPROXY_S3_ALLOWED_BUCKETS": ",", "IMGPROXY_USE_S3": "1"],
    ["IMGPROXY_ENV_LOCAL_FILE_PATH": "/nonexistent"],
  ])
  func `a restriction that cannot be read is not dropped`(environment: [String: String]) {
    #expect(throws: ConfigurationError.self) { try configuration(environment) }
  }

  @Test func `allowed sources of local files only allow nothing else`() throws {
    let read = try configuration(["IMGPROXY_ALLOWED_SOURCES": "local://", "IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/tmp"])
    let resolver = SourceResolver(read)
    #expect(throws: SourceError.notAllowed) { try resolver.request(for: "https://example.com/a.png") }
    let others = try configuration(["IMGPROXY_ALLOWED_SOURCES": "https://", "IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/tmp"])
    #expect(throws: SourceError.notAllowed) { try SourceResolver(others).request(for: "local:///a.png") }
  }

  @Test func `buckets are allowed and denied by name`() throws {
    func allows(_ bucket: String, _ lists: [String: String]) throws -> Bool {
      var environment = ["IMGPROXY_USE_S3": "true"]
      for (name, list) in lists { environment["IMGPROXY_S3_\(name)_BUCKETS"] = list }
      let resolver = SourceResolver(try configuration(environment))
      do {
        _ = try resolver.request(for: "s3://\(bucket)/a.png")
        return true
      } catch {
        #expect(error == .notAllowed)
        return false
      }
    }
    #expect(try allows("photos", ["ALLOWED": "art, Photos"]) && allows("photos", ["DENIED": "art"]))
    for bucket in ["secret", "SECRET", "secret."] {
      #expect(try !allows(bucket, ["DENIED": "secret"]) && !allows(bucket, ["ALLOWED": "photos"]))
      #expect(try !allows(bucket, ["ALLOWED": "secret,photos", "DENIED": "secret"]))
    }
  }

  @Test func `storage is enabled by its own variable only`() throws {
    let read = try configuration(["IMGPROXY_S3_ENDPOINT": "http://a", "IMGPROXY_S3_REGION": "eu-west-3"])
    #expect(read.storage == nil)
  }

  @Test func `a file of variables overrides the environment, and has the keys`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "env")
      let text = """
        # A comment
        export IMGPROXY_KEY=736563726574
        IMGPROXY_SALT='68656C6C6F'
        IMGPROXY_QUALITY="$OTHER" # from the environment
        HALCYON_SERVE_INSECURE=true
        IMGPROXY_USE_S3=true
        AWS_ACCESS_KEY_ID=id
        AWS_SECRET_ACCESS_KEY=hidden
        """
      try Data(text.utf8).write(to: file)
      let read = try configuration([
        "IMGPROXY_ENV_LOCAL_FILE_PATH": file.path, "IMGPROXY_QUALITY": "1", "OTHER": "71",
      ])
      #expect(!read.isInsecure && read.quality == 71)
      #expect(read.storage?.credentials?.accessKeyID == "id")
      #expect(read.keyPairs == [.init(key: Data("secret".utf8), salt: Data("hello".utf8))])
      // Own keys are the only ones nevertheless.
      let own = ["HALCYON_SERVE_KEYS": "00", "HALCYON_SERVE_SALTS": "00"]
      let strict = try configuration(own.merging(["IMGPROXY_ENV_LOCAL_FILE_PATH": file.path]) { $1 })
      #expect(strict.keyPairs == [.init(key: Data([0]), salt: Data([0]))])
    }
  }

  @Test func `variables that Kubernetes makes for a service of this name are no settings`() throws {
    let links = [
      "HALCYON_SERVE_SERVICE_HOST": "10.0.0.1", "HALCYON_SERVE_SERVICE_PORT": "80",
      "HALCYON_SERVE_SERVICE_PORT_HTTP": "80", "HALCYON_SERVE_PORT": "tcp://10.0.0.1:80",
      "HALCYON_SERVE_PORT_80_TCP": "tcp://10.0.0.1:80", "HALCYON_SERVE_PORT_80_TCP_ADDR": "10.0.0.1",
    ]
    #expect(try configuration(keys.merging(links) { $1 }).port == 8080)
  }
}
