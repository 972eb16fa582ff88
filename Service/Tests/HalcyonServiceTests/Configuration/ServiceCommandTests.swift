import Foundation
import Halcyon
import HalcyonService
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ServiceCommandTests {
  private let keys = ["--keys", "736563726574", "--salts", "68656C6C6F"]

  @Test func `the defaults are safe: keys are required, and only public addresses allowed`() throws {
    #expect(throws: ConfigurationError.unsigned) { try configuration([]) }
    let read = try configuration(keys)
    #expect(!read.isInsecure && read.host == "127.0.0.1")
    #expect(read.addressPolicy == .publicInternetOnly)
    #expect(read.keyPairs == [.init(key: Data("secret".utf8), salt: Data("hello".utf8))])
    #expect(!read.sendsSVG && read.localRoot == nil)
    #expect(throws: ConfigurationError.signedGallery) { try configuration(keys + ["--gallery"]) }
  }

  @Test func `flags override the environment, which overrides the file`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "service.conf")
      let text = "# A comment\n\nquality = 10\nmax-side = 100\nport=1\ninsecure = true\npresets = a=w:1\n"
      try Data(text.utf8).write(to: file)
      let environment = ["HALCYON_SERVE_MAX_SIDE": "200", "HALCYON_SERVE_PORT": "2", "OTHER": "x"]
      let read = try configuration(["--config", file.path, "--port=3"], environment)
      #expect(read.quality == 10 && read.resultSideLimit == 200 && read.port == 3 && read.isInsecure)
      // A value may have an equals sign.
      #expect(read.presets == ["a": ["w:1"]])
      #expect(try configuration(["--config", file.path, "--presets=b=w:2"]).presets == ["b": ["w:2"]])
      // The file as well may be named by the environment, which its flag overrides.
      #expect(try configuration([], ["HALCYON_SERVE_CONFIG": file.path]).quality == 10)
      let other = ["HALCYON_SERVE_CONFIG": "/nonexistent"]
      #expect(try configuration(["--config", file.path], other).quality == 10)
      try Data("# A comment\nquality 10\n".utf8).write(to: file)
      #expect(throws: ConfigurationError.malformedLine(2, file: file.path)) {
        try configuration(["--config", file.path])
      }
    }
  }

  @Test func `all kinds of settings are read`() throws {
    let read = try configuration(
      keys + [
        "--sources", "https://a.example/x, https://*.b.example", "--allowed-addresses", "10.0.0.0/8",
        "--format-quality", "avif=50,jpg=70", "--auto-formats", "avif,webp", "--presets",
        "small=rs:fit:200:200/q:70;sharp=sh:1", "--deadline", "2.5", "--local-root", "/srv/images", "--only-presets",
      ])
    #expect(read.allowedSources.count == 2)
    #expect(read.addressPolicy.allowed.count == 1)
    #expect(read.formatQuality[.avif] == 50 && read.formatQuality[.jpeg] == 70)
    #expect(read.automaticFormats == [.avif, .webp])
    // A format that is enforced is chosen as well.
    let enforced = try configuration(keys + ["--auto-formats", "webp", "--enforce-formats", "avif"])
    #expect(enforced.automaticFormats == [.webp, .avif])
    #expect(read.presets == ["small": ["rs:fit:200:200", "q:70"], "sharp": ["sh:1"]])
    #expect(read.deadline == .seconds(2.5) && read.acceptsPresetsOnly)
    #expect(read.localRoot?.path == "/srv/images")
  }

  @Test(arguments: [
    ["--bogus", "1"], ["--port", "x"], ["--port"], ["--quality", "0"], ["--keys", "xyz"], ["--keys", "abc"],
    ["--sources", "ftp://a"], ["--allowed-addresses", "home"], ["--auto-formats", "bmp"], ["--presets", "nothing"],
    ["--presets", "a=w:x"], ["--deadline", "0"], ["--log-level", "loud"], ["stray"], ["--config", "/nonexistent/file"],
    ["--keys", "00,11", "--salts", "22"], ["--insecure=maybe"], ["--allow-origin", "https://a b"],
  ])
  func `an invalid setting is an error that names it`(arguments: [String]) {
    #expect(throws: ConfigurationError.self) {
      try ServiceCommand(arguments: ["--insecure"] + arguments, environment: [:])
    }
  }

  @Test func `an unknown variable of the environment is an error`() {
    #expect(throws: ConfigurationError.unknownSetting("HALCYON_SERVE_PROT", origin: "environment")) {
      try configuration(keys, ["HALCYON_SERVE_PROT": "1"])
    }
  }

  @Test func `the check prints every effective setting, without secrets`() throws {
    guard
      case .check(let report, _) = try ServiceCommand(
        arguments: keys + ["--check", "--quality", "55"], environment: [:])
    else { throw ConfigurationError.unsigned }
    #expect(report.contains("quality = 55\n") && report.contains("keys = (secret)\n"))
    #expect(!report.contains("736563726574") && report.contains("max-source-pixels = 50000000"))
  }

  @Test func `the check finds files and folders that are not there`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "file")
      try Data("text".utf8).write(to: file)
      for setting in [
        ["--local-root", "/nonexistent"], ["--watermark", "/nonexistent.png"], ["--fallback", "/nonexistent.png"],
        ["--cache", file.path], ["--local-root", file.path],
      ] {
        let error = #expect(throws: ConfigurationError.self) {
          try ServiceCommand(arguments: keys + ["--check"] + setting, environment: [:])
        }
        #expect(error?.description.contains(setting[1]) == true)
      }
    }
  }

  @Test func `a service is asked for its health where it listens`() async throws {
    try await RunningService.run { service, origin async throws in
      var configuration = ServiceConfiguration()
      for host in ["127.0.0.1", "0.0.0.0"] {
        (configuration.host, configuration.port) = (host, service.port)
        #expect(await HealthCheck(configuration).isHealthy())
      }
      configuration.port = try #require(try origin.refusingURL("/").port)
      #expect(await !HealthCheck(configuration).isHealthy())
      // An origin that has no health.
      configuration.port = Int(origin.port)
      #expect(await !HealthCheck(configuration).isHealthy())
      // At a socket, whose file the second server finds there already.
      configuration.socketPath = URL.temporaryDirectory.appending(path: "\(service.port).sock").path
      let listening = Monitor(0)
      let server = ServiceServer(service.service, configuration: configuration, logger: .silent) { _ in
        listening.update { $0 += 1 }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for count in 1...2 {
          group.addTask { try await server.run() }
          group.addTask { try await listening.wait { $0 == count } }
          _ = try await group.next()
        }
        #expect(await HealthCheck(configuration).isHealthy())
        group.cancelAll()
      }
    }
    let arguments = ["health", "--port", "9000", "--socket", "/run/a.sock"]
    guard case .health(let read) = try ServiceCommand(arguments: arguments, environment: ["IMGPROXY_BIND": ":1"]) else {
      throw ConfigurationError.unsigned
    }
    #expect(read.port == 9000 && read.socketPath == "/run/a.sock")
  }

  @Test func `an error at the start is in JSON where the log is to be`() {
    #expect(ServiceCommand.wantsJSON(["--port", "x", "--log-json"], [:]))
    #expect(ServiceCommand.wantsJSON(["--log-json=on"], [:]))
    #expect(ServiceCommand.wantsJSON([], ["HALCYON_SERVE_LOG_JSON": "yes"]))
    #expect(ServiceCommand.wantsJSON([], ["IMGPROXY_LOG_FORMAT": "json"]))
    #expect(!ServiceCommand.wantsJSON(["--log-json=false"], ["HALCYON_SERVE_LOG_JSON": "On"]))
    #expect(!ServiceCommand.wantsJSON([], ["HALCYON_SERVE_LOG_JSON": "0", "IMGPROXY_LOG_FORMAT": "gcp"]))
  }

  @Test func `the help lists every setting with its default`() throws {
    guard case .help(let text) = try ServiceCommand(arguments: ["--help"], environment: [:]) else {
      throw ConfigurationError.unsigned
    }
    for name in ["--keys", "--insecure", "--sources", "--local-root", "--ttl", "--deadline"] {
      #expect(text.contains(name))
    }
    #expect(text.contains("Default: 8080."))
    for argument in ["-h", "help"] {
      guard case .help(let same) = try ServiceCommand(arguments: [argument], environment: [:]) else {
        throw ConfigurationError.unsigned
      }
      #expect(same == text)
    }
  }

  @Test func `the version is printed`() throws {
    guard case .version(let text) = try ServiceCommand(arguments: ["--version"], environment: [:]) else {
      throw ConfigurationError.unsigned
    }
    #expect(text == "halcyon-serve \(HalcyonVersion.current)")
  }

  /// Values that a setting accepts, and others.
  @Test(
    arguments: [
      ("fallback-status", ["0", "200", "404", "599"], ["-1", "1", "199", "204", "206", "304", "600", "x", ""]),
      ("fallback-for", ["404", "400,599", ""], ["399", "404,600", "x"]),
      ("format-quality", ["webp=1", "webp=100,jpg=7"], ["webp=0", "webp=101", "webp", "webp=x", "no=7"]),
      ("png-colors", ["2", "256", ""], ["1", "257", "x"]),
      ("watermark-opacity", ["0.1", "1"], ["0", "1.1", "-1", "nan"]),
      ("ttl", ["0", "86400"], ["-1", "x", ""]), ("connections", ["1"], ["0", "-1", "x"]),
      ("port", ["0", "65535"], ["-1", "65536"]),
    ])
  func `a number out of its range is an error that names the setting`(
    setting: String, valid: [String], invalid: [String]
  ) throws {
    for value in valid { _ = try configuration(keys + ["--" + setting, value]) }
    for value in invalid {
      let error = #expect(throws: ConfigurationError.self, "\(value)") {
        try configuration(keys + ["--" + setting, value])
      }
      #expect(error?.description.contains(setting) == true)
    }
  }

  @Test func `addresses are read with and without a host`() throws {
    for (text, host, port) in [
      (":9090", "::", 9090), ("10.0.0.5:1", "10.0.0.5", 1), ("[::1]:2", "::1", 2), (":0", "::", 0),
    ] {
      let address = try configuration(keys + ["--metrics-address", text]).metricsAddress
      #expect(address == ListeningAddress(host: host, port: port))
    }
  }

  @Test func `files and folders that are not there are errors that name the setting`() async throws {
    for change: (inout ServiceConfiguration) -> Void in [
      { $0.localRoot = URL(filePath: "/nonexistent") }, { $0.watermark = URL(filePath: "/nonexistent.png") },
      { $0.fallback = URL(filePath: "/nonexistent.png") },
      // No image, and no folder.
      { $0.watermark = URL(filePath: "/etc/passwd") }, { $0.localRoot = URL(filePath: "/etc/passwd") },
    ] {
      var changed = ServiceConfiguration()
      changed.isInsecure = true
      change(&changed)
      let configuration = changed
      let error = await #expect(throws: ConfigurationError.self) {
        _ = try await ImageService(configuration, logger: .silent)
      }
      let setting = changed.localRoot != nil ? "local-root" : changed.watermark != nil ? "watermark" : "fallback"
      #expect(error?.description.contains("The setting \(setting) is /") == true)
    }
  }

  @Test(arguments: ["/nonexistent", "/bin/true"])
  func `a program that draws nothing is an error at the start`(path: String) async throws {
    let error = await #expect(throws: ConfigurationError.self) {
      _ = try await ImageService(
        ServiceConfiguration(), logger: .silent, drawingProgram: (program: URL(filePath: path), arguments: []))
    }
    #expect(error?.description.contains("The program that draws SVG, \(path)") == true)
  }

  @Test func `a port in use is an error that says so`() async throws {
    try await RunningService.run { service, _ in
      var configuration = ServiceConfiguration()
      (configuration.port, configuration.isInsecure) = (service.port, true)
      let server = ServiceServer(service.service, configuration: configuration, logger: .silent) { _ in }
      let error = await #expect(throws: ConfigurationError.self) { try await server.run() }
      #expect(error?.description.contains("127.0.0.1:\(service.port): Address already in use") == true)
    }
  }
}
