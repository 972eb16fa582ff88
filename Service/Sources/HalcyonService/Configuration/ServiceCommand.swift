import Foundation
import HalcyonBackend
import HalcyonSupport

/// The command that the command line of `halcyon-serve` requests.
public enum ServiceCommand: Sendable {
  /// Run the service.
  case run(ServiceConfiguration)
  /// Print the effective settings, one on each line, and what the log says of them at the start; with any of that the
  /// program ends with the status 1.
  case check(report: String, warnings: [String])
  /// Print the help.
  case help(String)
  /// Ask a running service with these settings for its health, and end with the status 0 or 1.
  case health(ServiceConfiguration)
  /// Print the version.
  case version(String)

  /// Reads the settings: from the file, overridden by the environment, overridden by flags.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the name of the program.
  ///   - environment: The environment; names begin with `HALCYON_SERVE_`, or are imgproxy's variables, which all other
  ///     settings override.
  public init(arguments: [String], environment: [String: String]) throws(ConfigurationError) {
    var flags = try Self.flags(arguments)
    if flags.contains(where: { $0.name == "help" }) {
      self = .help(Self.helpText)
      return
    }
    if flags.contains(where: { $0.name == "version" }) {
      self = .version("halcyon-serve \(HalcyonVersion.current)")
      return
    }
    let isCheck = flags.contains { $0.name == "check" }
    let isHealthCheck = flags.contains { $0.name == "health" }
    flags.removeAll { ["check", "health"].contains($0.name) }
    let settings = try Self.settings(flags, environment)
    if isHealthCheck {
      // Of an address, whatever else there is to say about the settings.
      self = .health(settings.configuration)
      return
    }
    var configuration = try settings.checked()
    configuration.notices += PlatformEnvironment.notices(environment, configuration)
    PlatformEnvironment.boundCache(&configuration, environment)
    if let storage = configuration.storage, storage.credentials == nil, configuration.resultsBucket == nil {
      configuration.storageRole = CredentialSource(
        environment, region: storage.region, isOnInstance: settings.usesInstanceRole)
    }
    guard isCheck else {
      self = .run(configuration)
      return
    }
    try configuration.checkFiles()
    if let fault = configuration.cacheFolderFault() { throw fault.named(configuration.givenNames) }
    self = .check(
      report: Self.report(settings),
      warnings: configuration.ignoredVariables.map { "\($0) has no effect" } + configuration.notices)
  }

  /// All settings: those of variables of imgproxy, then those of the platform, then the service's own.
  private static func settings(
    _ flags: [(name: String, value: String)], _ environment: [String: String]
  ) throws(ConfigurationError) -> Settings {
    let own = try ownSettings(flags, environment)
    var settings = Settings()
    do throws(ConfigurationError) {
      settings.configuration.ignoredVariables = try ImgproxyVariables.apply(
        environment, ownSettings: Set(own.map(\.setting.name)), to: &settings)
      PlatformEnvironment.apply(environment, to: &settings)
      for (setting, value, name) in own {
        settings.givenNames[setting.name] = name
        try setting.parse(value, &settings)
      }
    } catch {
      throw error.named(settings.givenNames)
    }
    return settings
  }

  /// Whether the log is to be JSON, also where the other settings have errors; a file of settings is not read for it.
  public static func wantsJSON(_ arguments: [String], _ environment: [String: String]) -> Bool {
    let arguments = arguments.filter { $0 == "--log-json" || $0.hasPrefix("--log-json=") }
    let environment = environment.filter { ["HALCYON_SERVE_LOG_JSON", "IMGPROXY_LOG_FORMAT"].contains($0.key) }
    let settings = try? settings(flags(arguments), environment)
    return settings?.configuration.logsJSON ?? false
  }

  private static func flags(_ arguments: [String]) throws(ConfigurationError) -> [(name: String, value: String)] {
    var flags: [(name: String, value: String)] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if ["--help", "-h", "help"].contains(argument) { return [("help", "")] }
      if ["--version", "version"].contains(argument) { return [("version", "")] }
      if argument == "health" {
        flags.append((argument, ""))
        continue
      }
      guard argument.hasPrefix("--") else { throw .unknownSetting(argument, origin: "argument") }
      let sides = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(sides[0])
      let takesValue = name == "config" || Setting.all.contains { $0.name == name && $0.placeholder != nil }
      if sides.count == 2 {
        flags.append((name, String(sides[1])))
      } else if takesValue {
        guard let value = rest.popFirst() else { throw .missingValue(setting: name) }
        flags.append((name, value))
      } else {
        flags.append((name, "true"))
      }
    }
    return flags
  }

  /// The service's own settings with their values, and the variables that have them, from the file on to the flags, which
  /// override all others.
  private static func ownSettings(
    _ flags: [(name: String, value: String)], _ environment: [String: String]
  ) throws(ConfigurationError) -> [(setting: Setting, value: String, variable: String?)] {
    var own: [(setting: Setting, value: String, variable: String?)] = []
    let file = flags.last { $0.name == "config" }?.value ?? environment["HALCYON_SERVE_CONFIG"]
    if let file { own += try settings(inFile: file).map { ($0, $1, nil) } }
    for (name, value) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix("HALCYON_SERVE_") && name != "HALCYON_SERVE_CONFIG" && !isServiceLink(name, value) {
      guard let setting = Setting.all.first(where: { $0.environmentName == name }) else {
        throw .unknownSetting(name, origin: "environment")
      }
      own.append((setting, value, name))
    }
    for flag in flags where flag.name != "config" {
      own.append((try setting(flag.name, origin: "flag"), flag.value, nil))
    }
    return own
  }

  /// Whether a variable is one of those that Kubernetes gives to every pod for a service, here one that is called
  /// `halcyon-serve`: `…_SERVICE_HOST`, `…_PORT=tcp://10.0.0.1:80`, `…_PORT_80_TCP_ADDR` and the like.
  private static func isServiceLink(_ name: String, _ value: String) -> Bool {
    let name = name.dropFirst("HALCYON_SERVE_".count)
    return name.hasPrefix("SERVICE_HOST") || name.hasPrefix("SERVICE_PORT") || name.hasPrefix("PORT_")
      || name == "PORT" && value.contains("://")
  }

  private static func settings(
    inFile file: String
  ) throws(ConfigurationError) -> [(setting: Setting, value: String)] {
    let text: String
    do {
      text = try String(contentsOfFile: file, encoding: .utf8)
    } catch {
      throw .unreadableFile(file, reason: error.localizedDescription)
    }
    var settings: [(setting: Setting, value: String)] = []
    for (index, line) in text.parts(between: "\n").enumerated() {
      let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else { throw .malformedLine(index + 1, file: file) }
      let name = sides[0].trimmingCharacters(in: .whitespaces)
      settings.append((try setting(name, origin: file), sides[1].trimmingCharacters(in: .whitespaces)))
    }
    return settings
  }

  private static func setting(_ name: String, origin: String) throws(ConfigurationError) -> Setting {
    guard let setting = Setting.all.first(where: { $0.name == name }) else {
      throw .unknownSetting(name, origin: origin)
    }
    return setting
  }

  private static func report(_ settings: Settings) -> String {
    Setting.all.map { "\($0.name) = \($0.value(settings))" }.joined(separator: "\n")
  }

  private static let helpText: String = {
    let settings = Setting.all.map { setting in
      let flag = "--\(setting.name)" + (setting.placeholder.map { " " + $0 } ?? "")
      let value = setting.value(Settings())
      return "  \(flag)\n      \(setting.help)" + (value.isEmpty || value == "false" ? "" : " Default: \(value).")
    }
    return """
      Serves images over HTTP, resized and converted, in the URL syntax of imgproxy.

      USAGE: halcyon-serve [health | --check | --version] [--config FILE] [SETTINGS]

        http://HOST:PORT/SIGNATURE/OPTIONS/plain/URL@EXTENSION

      Each setting is a flag, a line NAME = VALUE of the file, or a variable of the environment, such as
      HALCYON_SERVE_MAX_SIDE for --max-side. Flags override the environment, which overrides the file. Variables of
      imgproxy, such as IMGPROXY_KEY, are read as well; all others override them.

        health
            Ask the running service with these settings for its health, and end with the status 0 or 1.
        --check
            Print the effective settings and end.
        --version
            Print the version and end.
        --config FILE
            Read settings from a file.

      \(settings.joined(separator: "\n"))
      """
  }()
}
