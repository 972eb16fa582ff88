import Foundation
import HalcyonBackend
import HalcyonSupport

/// The command that the command line of `halcyon-serve` requests.
public enum ServiceCommand: Sendable {
  /// Run the service.
  case run(ServiceConfiguration)
  /// Print the effective settings, one on each line.
  case check(report: String)
  /// Print the help.
  case help(String)
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
    flags.removeAll { $0.name == "check" }
    var settings = Settings()
    settings.configuration.ignoredVariables = try ImgproxyVariables.apply(environment, to: &settings)
    let file = flags.last { $0.name == "config" }?.value ?? environment["HALCYON_SERVE_CONFIG"]
    if let file { try Self.apply(file: file, to: &settings) }
    for (name, value) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix("HALCYON_SERVE_") && name != "HALCYON_SERVE_CONFIG" {
      guard let setting = Setting.all.first(where: { $0.environmentName == name }) else {
        throw .unknownSetting(name, origin: "environment")
      }
      try setting.parse(value, &settings)
    }
    for flag in flags where flag.name != "config" { try Self.apply(flag.name, flag.value, origin: "flag", &settings) }
    var configuration = try settings.checked()
    if let storage = configuration.storage, storage.credentials == nil, configuration.resultsBucket == nil {
      configuration.storageRole = CredentialSource(
        environment, region: storage.region, isOnInstance: settings.usesInstanceRole)
    }
    self = isCheck ? .check(report: Self.report(settings)) : .run(configuration)
  }

  /// Whether the log is to be JSON, also where the other settings have errors; a file of settings is not read for it.
  public static func wantsJSON(_ arguments: [String], _ environment: [String: String]) -> Bool {
    let isOn = ["1", "true", "yes", "on"]
    return arguments.contains("--log-json")
      || isOn.contains { arguments.contains("--log-json=\($0)") || environment["HALCYON_SERVE_LOG_JSON"] == $0 }
  }

  private static func flags(_ arguments: [String]) throws(ConfigurationError) -> [(name: String, value: String)] {
    var flags: [(name: String, value: String)] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if ["--help", "-h", "help"].contains(argument) { return [("help", "")] }
      if argument == "--version" { return [("version", "")] }
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

  private static func apply(file: String, to settings: inout Settings) throws(ConfigurationError) {
    let text: String
    do {
      text = try String(contentsOfFile: file, encoding: .utf8)
    } catch {
      throw .unreadableFile(file, reason: error.localizedDescription)
    }
    for (index, line) in text.parts(between: "\n").enumerated() {
      let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else { throw .malformedLine(index + 1, file: file) }
      try apply(
        sides[0].trimmingCharacters(in: .whitespaces), sides[1].trimmingCharacters(in: .whitespaces), origin: file,
        &settings)
    }
  }

  private static func apply(
    _ name: String, _ value: String, origin: String, _ settings: inout Settings
  ) throws(ConfigurationError) {
    guard let setting = Setting.all.first(where: { $0.name == name }) else {
      throw .unknownSetting(name, origin: origin)
    }
    try setting.parse(value, &settings)
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

      USAGE: halcyon-serve [--check | --version] [--config FILE] [SETTINGS]

        http://HOST:PORT/SIGNATURE/OPTIONS/plain/URL@EXTENSION

      Each setting is a flag, a line NAME = VALUE of the file, or a variable of the environment, such as
      HALCYON_SERVE_MAX_SIDE for --max-side. Flags override the environment, which overrides the file. Variables of
      imgproxy, such as IMGPROXY_KEY, are read as well; all others override them.

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
