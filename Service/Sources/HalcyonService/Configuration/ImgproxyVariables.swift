import Foundation

/// The environment variables of imgproxy, so that a deployment of imgproxy has to change only the name of its image.
///
/// The service's own settings override them, and no variable makes the service less strict than these say. Unless they say
/// who may request images, two defaults are those of imgproxy where it has any variable but `IMGPROXY_BIND` and
/// `IMGPROXY_NETWORK`: without a key URLs need no signature, and private addresses may be connected to. Only names that
/// have an effect count: Kubernetes gives every pod variables of a service with the name imgproxy.
enum ImgproxyVariables {
  static let prefix = "IMGPROXY_"
  /// The largest value of ``ServiceConfiguration/resultDimension``.
  static let sideLimit = 32_768

  /// The own settings that say which URLs are accepted.
  private static let signatureSettings: Set = ["keys", "salts", "insecure", "trusted-signatures", "signature-size"]
  /// The own settings that say which addresses may be connected to.
  private static let addressSettings: Set = ["any-address", "allowed-addresses"]
  /// Variables that have no effect beside ``signatureSettings``, which they would weaken.
  private static let looseningVariables: Set = [
    "TRUSTED_SIGNATURES", "SIGNATURE_SIZE", "ALLOW_SECURITY_OPTIONS", "SANITIZE_SVG",
  ]
  /// Variables that have no effect beside own settings about signatures or addresses.
  private static let addressVariables: Set = [
    "ALLOW_PRIVATE_SOURCE_ADDRESSES", "ALLOW_LOOPBACK_SOURCE_ADDRESSES", "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES",
  ]

  /// Applies the variables, and returns the names of those without effect.
  ///
  /// - Parameter ownSettings: The names of the service's own settings that are given, and are applied later.
  /// - Throws: ``ConfigurationError/refusedVariable(_:reason:)`` for a variable that restricts the service or loads its
  ///   secrets, and is not supported.
  static func apply(
    _ environment: [String: String], ownSettings: Set<String>, to settings: inout Settings
  ) throws(ConfigurationError) -> [String] {
    var environment = environment
    var variables = try variables(of: &environment)
    var ignored: [String] = []
    try refuse(variables)
    let hasOwnSignatures = !ownSettings.isDisjoint(with: signatureSettings)
    let hasOwnAddresses = hasOwnSignatures || !ownSettings.isDisjoint(with: addressSettings)
    if hasOwnSignatures { ignored += remove(looseningVariables, from: &variables) }
    if hasOwnAddresses {
      ignored += remove(addressVariables, from: &variables)
    } else {
      try applyAddresses(variables, &settings)
    }
    if !hasOwnSignatures, isDeployment(variables) { settings.configuration.isInsecure = variables["KEY"] == nil }
    try applyCombined(variables, environment, &settings)
    for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
      switch table[name] {
      case .settings(let translation):
        guard !name.hasPrefix("S3_") || settings.usesStorage else { continue }
        for (setting, value) in try translation(value, name) {
          try set(setting, value, &settings, named: prefix + name)
        }
      case .combined, .refused: break
      // One that is off would have no effect either.
      case nil: if (try? ImgproxyVariable.isTrue(value, name)) != false { ignored.append(name) }
      }
    }
    return ignored.sorted().map { prefix + $0 }
  }

  /// The variables of the environment and of a file, which overrides them, without prefix and by their present names.
  ///
  /// Those of the file are put into `environment`, too.
  private static func variables(
    of environment: inout [String: String]
  ) throws(ConfigurationError) -> [String: String] {
    if let path = environment[prefix + "ENV_LOCAL_FILE_PATH"], !isBlank(path) {
      let file = try EnvironmentFile.variables(in: try text(ofFile: path), path: path, environment: environment)
      for (name, value) in file where name.hasPrefix(prefix) || name.hasPrefix("AWS_") { environment[name] = value }
    }
    var variables: [String: String] = [:]
    for (name, value) in environment where name.hasPrefix(prefix) && !isBlank(value) {
      variables[String(name.dropFirst(prefix.count))] = value
    }
    for (old, new) in aliases {
      let value = variables.removeValue(forKey: old)
      variables[new] = variables[new] ?? value
    }
    return variables
  }

  private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }

  /// Whether variables are those of a deployment of imgproxy.
  private static func isDeployment(_ variables: [String: String]) -> Bool {
    variables.keys.contains { !["BIND", "NETWORK"].contains($0) && table[$0] != nil }
  }

  private static func refuse(_ variables: [String: String]) throws(ConfigurationError) {
    for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
      guard case .refused(let reason) = table[name] else { continue }
      // One that is off restricts nothing.
      if (try? ImgproxyVariable.isTrue(value, name)) != false { throw .refusedVariable(prefix + name, reason: reason) }
    }
  }

  /// Takes variables out, and returns their names.
  private static func remove(_ names: Set<String>, from variables: inout [String: String]) -> [String] {
    names.filter { variables.removeValue(forKey: $0) != nil }
  }

  private static func applyAddresses(
    _ variables: [String: String], _ settings: inout Settings
  ) throws(ConfigurationError) {
    var ranges: [String] = []
    if try isTrue("ALLOW_PRIVATE_SOURCE_ADDRESSES", variables) ?? isDeployment(variables) {
      ranges.append("10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7")
    }
    if try isTrue("ALLOW_LOOPBACK_SOURCE_ADDRESSES", variables) == true { ranges.append("127.0.0.0/8,::1/128") }
    if try isTrue("ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", variables) == true { ranges.append("169.254.0.0/16,fe80::/10") }
    try set("allowed-addresses", ranges.joined(separator: ","), &settings)
  }

  /// The settings that several variables stand for together.
  private static func applyCombined(
    _ variables: [String: String], _ environment: [String: String], _ settings: inout Settings
  ) throws(ConfigurationError) {
    try set("auto-formats", try formats(["AUTO_", "ENFORCE_"], variables), &settings)
    try set("enforce-formats", try formats(["ENFORCE_"], variables), &settings)
    try set("presets", try presets(variables), &settings)
    // Zero is the lifetime of other results.
    let lifetime = variables["FALLBACK_IMAGE_TTL"] == "0" ? variables["TTL"] : variables["FALLBACK_IMAGE_TTL"]
    try set("fallback-ttl", lifetime ?? "", &settings)
    if try isTrue("PNG_QUANTIZE", variables) == true {
      try set("png-colors", variables["PNG_QUANTIZATION_COLORS"] ?? "256", &settings)
    }
    if let side = variables["MAX_RESULT_DIMENSION"].flatMap({ Int($0) }), side > sideLimit {
      settings.configuration.notices.append("\(prefix)MAX_RESULT_DIMENSION is \(side), and taken as \(sideLimit)")
    }
    if variables["PROMETHEUS_BIND"] != nil {
      try set("imgproxy-metrics", variables["PROMETHEUS_NAMESPACE"] ?? "none", &settings)
    }
    guard try isTrue("USE_S3", variables) == true else { return }
    (settings.usesStorage, settings.usesInstanceRole) = (true, true)
    let environment = SharedCredentials.adding(to: environment)
    let region = variables["S3_REGION"] ?? value(of: ["AWS_REGION", "AWS_DEFAULT_REGION"], environment)
    try set("s3-region", region ?? SharedCredentials.region(environment) ?? "us-east-1", &settings)
    try set("s3-access-key", environment["AWS_ACCESS_KEY_ID"] ?? "", &settings)
    try set("s3-secret-key", environment["AWS_SECRET_ACCESS_KEY"] ?? "", &settings)
    try set("s3-session-token", environment["AWS_SESSION_TOKEN"] ?? "", &settings)
    let endpoint = variables["S3_ENDPOINT"] ?? value(of: ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"], environment)
    guard let endpoint else { return }
    try set("s3-endpoint", endpoint.contains("://") ? endpoint : "http://" + endpoint, &settings)
    let isPathStyle = try isTrue("S3_ENDPOINT_USE_PATH_STYLE", variables) ?? true
    try set("s3-path-style", isPathStyle ? "true" : "false", &settings)
  }

  /// The value of the first of some variables that has one.
  private static func value(of names: [String], _ environment: [String: String]) -> String? {
    names.lazy.compactMap { environment[$0] }.first { !isBlank($0) }
  }

  /// - Parameter variable: The variable that the value is of, if it is of one alone.
  private static func set(
    _ name: String, _ value: String, _ settings: inout Settings, named variable: String? = nil
  ) throws(ConfigurationError) {
    guard !value.isEmpty else { return }
    settings.givenNames[name] = variable
    guard let setting = Setting.all.first(where: { $0.name == name }) else {
      throw .unknownSetting(name, origin: "a variable of imgproxy")
    }
    try setting.parse(value, &settings)
  }

  /// Whether a variable is true; `nil` if it is not set.
  private static func isTrue(_ name: String, _ variables: [String: String]) throws(ConfigurationError) -> Bool? {
    guard let value = variables[name] else { return nil }
    return try ImgproxyVariable.isTrue(value, name)
  }

  private static func formats(
    _ kinds: [String], _ variables: [String: String]
  ) throws(ConfigurationError) -> String {
    var formats: [String] = []
    for format in ["JXL", "AVIF", "WEBP"] {
      var isOn = false
      for kind in kinds { if try isTrue(kind + format, variables) == true { isOn = true } }
      if isOn { formats.append(format.lowercased()) }
    }
    return formats.joined(separator: ",")
  }

  /// The presets of the variable and of the lines of a file.
  private static func presets(_ variables: [String: String]) throws(ConfigurationError) -> String {
    let separator = variables["PRESETS_SEPARATOR"] ?? ","
    var presets = (variables["PRESETS"] ?? "").components(separatedBy: separator)
    if let file = variables["PRESETS_PATH"] { presets += try text(ofFile: file).components(separatedBy: "\n") }
    let trimmed = presets.map { $0.trimmingCharacters(in: .whitespaces) }
    return trimmed.filter { !$0.isEmpty && !$0.hasPrefix("#") }.joined(separator: ";")
  }

  private static func text(ofFile path: String) throws(ConfigurationError) -> String {
    do {
      return try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw .unreadableFile(path, reason: error.localizedDescription)
    }
  }
}
