import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTransport
import Logging
import Testing

@testable import HalcyonService

/// What platforms say in the environment, and where the service listens.
@Suite(.integrationTest)
struct PlatformEnvironmentTests {
  private func configuration(
    _ environment: [String: String], _ arguments: [String] = []
  ) throws -> ServiceConfiguration {
    try HalcyonServiceTests.configuration(environment, ["--insecure"] + arguments)
  }

  @Test(
    arguments: [
      (["PORT": "3000"], [], "[::]:3000"), (["PORT": "3000", "IMGPROXY_BIND": ":8080"], [], "[::]:3000"),
      (["PORT": "3000", "IMGPROXY_BIND": "10.0.0.5:90"], [], "10.0.0.5:90"),
      (["PORT": "3000", "HALCYON_SERVE_PORT": "90"], [], "[::]:90"),
      (["PORT": "3000"], ["--host", "::1"], "[::1]:3000"),
      (["PORT": "tcp://10.0.0.1:80"], [], "127.0.0.1:8080"), (["PORT": "0"], [], "127.0.0.1:8080"),
      (["IMGPROXY_BIND": ":8080"], [], "[::]:8080"), ([:], [], "127.0.0.1:8080"),
    ] as [([String: String], [String], String)])
  func `the port of a platform counts where a deployment has none of its own`(
    environment: [String: String], arguments: [String], address: String
  ) throws {
    let read = try configuration(environment, arguments)
    #expect("\(ListeningAddress(host: read.host, port: read.port))" == address)
  }

  @Test func `all interfaces are those of both families`() async throws {
    try await RunningService.run {
      $0.host = "::"
    } body: { service, _ in
      // Without IPv6 the machine has only the others; check-deploy has machines with either and with both.
      let hasSix = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.isEmpty == false
      for host in ["127.0.0.1"] + (hasSix ? ["[::1]"] : []) {
        let url = try #require(URL(string: "http://\(host):\(service.port)/health"))
        #expect(try await CurlTransport().response(to: TransportRequest(url: url)).status == 200)
      }
      var checked = ServiceConfiguration()
      (checked.host, checked.port) = ("::", service.port)
      #expect(await HealthCheck(checked).isHealthy())
    }
  }

  @Test func `the region and the endpoint of the storage may be those of other programs for it`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "config")
      try Data("[default]\nregion = eu-north-1\n[profile photos]\nregion=eu-south-1\n".utf8).write(to: file)
      let storage = ["IMGPROXY_USE_S3": "1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"]
      for (variables, region, endpoint) in [
        (["AWS_DEFAULT_REGION": "eu-west-1"], "eu-west-1", "s3.eu-west-1.amazonaws.com"),
        (["AWS_REGION": "eu-west-2", "AWS_DEFAULT_REGION": "eu-west-1"], "eu-west-2", "s3.eu-west-2.amazonaws.com"),
        (["IMGPROXY_S3_REGION": "eu-west-3", "AWS_REGION": "eu-west-2"], "eu-west-3", "s3.eu-west-3.amazonaws.com"),
        (["AWS_CONFIG_FILE": file.path], "eu-north-1", "s3.eu-north-1.amazonaws.com"),
        (["AWS_CONFIG_FILE": file.path, "AWS_PROFILE": "photos"], "eu-south-1", "s3.eu-south-1.amazonaws.com"),
        (["AWS_ENDPOINT_URL": "https://a.example"], "us-east-1", "a.example"),
        (
          ["AWS_ENDPOINT_URL": "https://a.example", "AWS_ENDPOINT_URL_S3": "https://b.example"], "us-east-1",
          "b.example"
        ),
        (["AWS_ENDPOINT_URL_S3": "https://b.example", "IMGPROXY_S3_ENDPOINT": "c.example"], "us-east-1", "c.example"),
      ] as [([String: String], String, String)] {
        let read = try #require(try configuration(storage.merging(variables) { $1 }).storage)
        #expect(read.region == region && read.endpoint.host() == endpoint, "\(variables)")
      }
    }
  }

  @Test func `proxies that have no effect are named, and levels of the log in any case`() throws {
    let environment = ["HTTPS_PROXY": "http://ann:pw@proxy:3128", "http_proxy": "http://proxy", "LOG": "x"]
    let notices = try configuration(environment).notices
    #expect(notices.count == 1 && notices[0].hasPrefix("http_proxy and HTTPS_PROXY has no effect"), "\(notices)")
    #expect(!notices[0].contains("pw"))
    #expect(try configuration(environment, ["--any-address"]).notices.isEmpty)
    #expect(try configuration(["IMGPROXY_LOG_LEVEL": "INFO"]).logLevel == "info")
    for level in ["fatal", "panic"] {
      #expect(try configuration(["IMGPROXY_LOG_LEVEL": level]).logLevel == "critical", "\(level)")
    }
    #expect(try configuration(["IMGPROXY_LOG_LEVEL": "Warn"], ["--log-level", "ERROR"]).logLevel == "error")
  }

  @Test(arguments: [
    (["IMGPROXY_QUALITY": "x"], "quality (IMGPROXY_QUALITY)"),
    (["HALCYON_SERVE_PORT": "x"], "port (HALCYON_SERVE_PORT)"),
    (["IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/nonexistent"], "local-root (IMGPROXY_LOCAL_FILESYSTEM_ROOT)"),
    (["IMGPROXY_WATERMARK_PATH": "/nonexistent"], "watermark (IMGPROXY_WATERMARK_PATH)"),
  ])
  func `an error names the variable that was set`(environment: [String: String], name: String) async throws {
    let error = await #expect(throws: ConfigurationError.self) {
      let read = try configuration(environment)
      _ = try await ImageService(read, logger: .silent)
    }
    #expect(error?.description.contains(name) == true, "\(error?.description ?? "")")
  }

  /// The root has two file systems, of which the first is hidden.
  private static let mounts = """
    21 1 0:2 / / rw - rootfs rootfs rw
    22 1 0:20 / / rw,relatime - overlay overlay rw
    23 22 0:21 / /tmp rw,nosuid - tmpfs tmpfs rw,size=65536k
    24 22 0:22 / /var/cache rw shared:1 - tmpfs tmpfs rw
    25 24 254:1 / /var/cache/images rw - ext4 /dev/vda rw
    26 22 0:23 / /my\\040cache rw - ramfs none rw
    """

  @Test(
    arguments: [
      ("/home/a/.cache", [:], false), ("/tmp/a", [:], true), ("/tmp", [:], true), ("/tmpx", [:], false),
      ("/var/cache/a", [:], true), ("/var/cache/images/a", [:], false), ("/my cache", [:], true),
      ("/home/a/.cache", ["K_SERVICE": "images"], true), ("/var/cache/images", ["K_SERVICE": "images"], false),
    ] as [(String, [String: String], Bool)])
  func `a cache in memory takes no more than there is`(folder: String, environment: [String: String], isInMemory: Bool)
  {
    #expect(PlatformEnvironment.isInMemory(folder, environment, mounts: Self.mounts) == isInMemory)
    for size in [1 << 30, 1 << 50] {
      var configuration = ServiceConfiguration()
      (configuration.cacheDirectory, configuration.cacheByteCount) = (URL(filePath: folder), size)
      PlatformEnvironment.boundCache(&configuration, environment, mounts: Self.mounts)
      let isBounded = isInMemory && size == 1 << 30 && PlatformEnvironment.memoryCacheLimit < size
      #expect(configuration.cacheByteCount == (isBounded ? PlatformEnvironment.memoryCacheLimit : size))
      #expect(configuration.notices.isEmpty == !(isInMemory && PlatformEnvironment.memoryCacheLimit < size))
    }
  }
}
