import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonBackend
import HalcyonProcessing

/// A setting that can be given as a flag, in the environment or in a file.
struct Setting: Sendable {
  /// The name in the environment: `HALCYON_SERVE_MAX_SIDE` for `max-side`.
  var environmentName: String { "HALCYON_SERVE_" + name.uppercased().replacing("-", with: "_") }

  let name: String
  /// The placeholder of the value in the help; `nil` for a setting that is on or off.
  let placeholder: String?
  let help: String
  /// Sets the value that a text stands for.
  let parse: @Sendable (String, inout Settings) throws(ConfigurationError) -> Void
  /// The effective value; secrets are not shown.
  let value: @Sendable (Settings) -> String

  init(
    _ name: String, _ placeholder: String?, _ help: String,
    parse: @escaping @Sendable (String, inout Settings) throws(ConfigurationError) -> Void,
    value: @escaping @Sendable (Settings) -> String
  ) {
    (self.name, self.placeholder, self.help, self.parse, self.value) = (name, placeholder, help, parse, value)
  }
}

/// The configuration while it is read: keys and salts are not paired yet.
struct Settings: Sendable {
  var configuration = ServiceConfiguration()
  var keys: [Data] = []
  var trustedSignatures: [String] = []
  var allowedOptions: [String] = []
  var enforcedFormats: [ImageFormat] = []
  var skippedFormats: [ImageFormat] = []
  var salts: [Data] = []
  /// `nil` for the default, which depends on the deadline.
  var sourceTimeout: Duration?
  /// Whether every IP address may be connected to.
  var allowsAnyAddress = false
  var allowedAddresses: [AddressRange] = []
  var allowedBuckets: [String] = []
  var deniedBuckets: [String] = []
  var storage = StorageSettings()
  /// The names under which settings were given, where these differ.
  var givenNames: [String: String] = [:]
  /// Whether variables of imgproxy ask for the storage.
  var usesStorage = false
  /// Whether keys of the storage are those of the role of this machine, if there are no others.
  var usesInstanceRole = false

  /// The longest time for a source: at most half of the deadline by default, so that time is left for the fallback image.
  var effectiveSourceTimeout: Duration {
    sourceTimeout ?? min(ServiceConfiguration().sourceTimeout, configuration.deadline / 2)
  }

  /// The configuration, checked for what depends on several settings.
  func checked() throws(ConfigurationError) -> ServiceConfiguration {
    var configuration = configuration
    configuration.givenNames = givenNames
    guard keys.count == salts.count else { throw .unpairedKeys(keys: keys.count, salts: salts.count) }
    configuration.keyPairs = zip(keys, salts).map { URLSigner.KeyPair(key: $0, salt: $1) }
    configuration.sourceTimeout = effectiveSourceTimeout
    configuration.trustedSignatures = Set(trustedSignatures)
    configuration.allowedOptions = Set(allowedOptions)
    configuration.enforcedFormats = Set(enforcedFormats)
    configuration.skippedFormats = Set(skippedFormats)
    configuration.allowedBuckets = Set(allowedBuckets)
    configuration.deniedBuckets = Set(deniedBuckets)
    for format in enforcedFormats where !configuration.automaticFormats.contains(format) {
      configuration.automaticFormats.append(format)
    }
    guard configuration.isInsecure || !configuration.keyPairs.isEmpty else { throw .unsigned }
    guard configuration.isInsecure || !configuration.showsGallery else { throw .signedGallery }
    if configuration.isInsecure, !configuration.sourceEncryptionKey.isEmpty {
      configuration.notices.append(
        """
        URLs need no signature: from the responses to changed ones, clients find out encrypted sources (a padding oracle). \
        Set keys and salts
        """)
    }
    configuration.storage = try storage.storage()
    guard configuration.resultsBucket == nil || configuration.storage != nil else { throw .incompleteStorage }
    if let bucket = configuration.resultsBucket,
      configuration.storage?.url(bucket: bucket, key: configuration.results.prefix + "x") == nil
    {
      throw .invalidValue(setting: "s3-results", value: bucket, expected: "the name of a bucket")
    }
    configuration.addressPolicy = allowsAnyAddress ? .any : .publicInternetOnly
    configuration.addressPolicy.allowed = allowedAddresses
    do {
      try OptionParser(presets: configuration.presets, acceptsLimits: true).checkPresets()
    } catch {
      throw .invalidPresets(error)
    }
    return configuration
  }
}

/// The settings of S3-compatible storage, as they are read.
struct StorageSettings: Sendable {
  var endpoint: URL?
  var region = ""
  var isPathStyle = false
  var accessKey = ""
  var secretKey = ""
  var sessionToken = ""

  /// `nil` without any setting.
  func storage() throws(ConfigurationError) -> S3Storage? {
    let hasCredentials = !accessKey.isEmpty
    guard hasCredentials == !secretKey.isEmpty, sessionToken.isEmpty || hasCredentials else { throw .incompleteStorage }
    guard endpoint != nil || !region.isEmpty else {
      if hasCredentials || isPathStyle { throw .incompleteStorage }
      return nil
    }
    let name = region.isEmpty ? "us-east-1" : region
    guard let endpoint = endpoint ?? URL(string: "https://s3.\(name).amazonaws.com"),
      let storage = S3Storage(
        region: name, endpoint: endpoint, addressing: isPathStyle ? .path : .virtualHost,
        credentials: hasCredentials
          ? S3Credentials(
            accessKeyID: accessKey, secretAccessKey: secretKey, sessionToken: sessionToken.isEmpty ? nil : sessionToken)
          : nil)
    else {
      throw .invalidValue(
        setting: "s3-endpoint", value: endpoint?.host() ?? name, expected: "a URL such as https://s3.example.com")
    }
    return storage
  }
}

extension Setting {
  static func text(
    _ name: String, _ placeholder: String, _ property: any WritableKeyPath<Settings, String> & Sendable,
    isSecret: Bool = false, _ help: String
  ) -> Setting {
    Setting(name, placeholder, help) { (text, settings) throws(ConfigurationError) in
      settings[keyPath: property] = text
    } value: {
      isSecret && !$0[keyPath: property].isEmpty ? "(secret)" : $0[keyPath: property]
    }
  }

  static func number(
    _ name: String, _ property: any WritableKeyPath<ServiceConfiguration, Int> & Sendable, in range: ClosedRange<Int>,
    _ help: String
  ) -> Setting {
    Setting(name, "N", help) { (text, settings) throws(ConfigurationError) in
      guard let value = Int(text), range.contains(value) else {
        throw .invalidValue(
          setting: name, value: text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      settings.configuration[keyPath: property] = value
    } value: {
      "\($0.configuration[keyPath: property])"
    }
  }

  static func flag(
    _ name: String, _ property: any WritableKeyPath<Settings, Bool> & Sendable, _ help: String
  ) -> Setting {
    Setting(name, nil, help) { (text, settings) throws(ConfigurationError) in
      switch text.lowercased() {
      case "1", "true", "yes", "on": settings[keyPath: property] = true
      case "0", "false", "no", "off": settings[keyPath: property] = false
      default: throw .invalidValue(setting: name, value: text, expected: "true or false")
      }
    } value: {
      "\($0[keyPath: property])"
    }
  }

  static func path(
    _ name: String, _ property: any WritableKeyPath<ServiceConfiguration, URL?> & Sendable, isFolder: Bool,
    _ help: String
  ) -> Setting {
    Setting(name, "PATH", help) { (text, settings) throws(ConfigurationError) in
      settings.configuration[keyPath: property] =
        text.isEmpty ? nil : URL(filePath: text, directoryHint: isFolder ? .isDirectory : .notDirectory)
    } value: {
      $0.configuration[keyPath: property]?.path ?? ""
    }
  }

  /// A file, or an image at a web or `data:` URL.
  static func file(
    _ name: String, _ property: any WritableKeyPath<ServiceConfiguration, URL?> & Sendable, _ help: String
  ) -> Setting {
    Setting(name, "PATH or URL", help) { (text, settings) throws(ConfigurationError) in
      let isURL = ["http://", "https://", "data:"].contains { text.lowercased().hasPrefix($0) }
      settings.configuration[keyPath: property] = text.isEmpty ? nil : isURL ? URL(string: text) : URL(filePath: text)
    } value: {
      $0.configuration[keyPath: property].map { $0.isFileURL ? $0.path : $0.absoluteString.excerpt } ?? ""
    }
  }

  /// Seconds, also fractions.
  static func seconds(
    _ name: String, _ property: any WritableKeyPath<ServiceConfiguration, Duration> & Sendable,
    in range: ClosedRange<Double>, _ help: String
  ) -> Setting {
    Setting(name, "SECONDS", help) { (text, settings) throws(ConfigurationError) in
      guard let seconds = Double(text), range.contains(seconds) else {
        throw .invalidValue(
          setting: name, value: text, expected: "seconds from \(range.lowerBound) to \(range.upperBound)")
      }
      settings.configuration[keyPath: property] = .seconds(seconds)
    } value: {
      "\($0.configuration[keyPath: property] / .seconds(1))"
    }
  }

  /// Milliseconds, from 1 to 60,000.
  static func milliseconds(
    _ name: String, _ property: any WritableKeyPath<ServiceConfiguration, Duration> & Sendable, _ help: String
  ) -> Setting {
    Setting(name, "MS", help) { (text, settings) throws(ConfigurationError) in
      guard let value = Int(text), (1...60_000).contains(value) else {
        throw .invalidValue(setting: name, value: text, expected: "milliseconds from 1 to 60000")
      }
      settings.configuration[keyPath: property] = .milliseconds(value)
    } value: {
      "\(Int(($0.configuration[keyPath: property] / .milliseconds(1)).rounded()))"
    }
  }

  /// A name of letters, digits, `-`, `_`, `.` and, if allowed, `/`.
  static func name(
    _ name: String, _ property: any WritableKeyPath<ServiceConfiguration, String> & Sendable, length: ClosedRange<Int>,
    allowsSlash: Bool = false, _ help: String
  ) -> Setting {
    Setting(name, "TEXT", help) { (text, settings) throws(ConfigurationError) in
      let isValid = text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
          || "-_.".unicodeScalars.contains(scalar) || allowsSlash && scalar == "/"
      }
      guard isValid, length.contains(text.utf8.count) else {
        throw .invalidValue(setting: name, value: text, expected: "letters, digits, “-”, “_” and “.”")
      }
      settings.configuration[keyPath: property] = text
    } value: {
      $0.configuration[keyPath: property]
    }
  }

  static func list<Element>(
    _ name: String, _ placeholder: String, _ property: any WritableKeyPath<Settings, [Element]> & Sendable,
    _ help: String, isSecret: Bool = false, expected: String, element: @escaping @Sendable (String) -> Element?,
    text: @escaping @Sendable (Element) -> String
  ) -> Setting {
    Setting(name, placeholder, help) { (list, settings) throws(ConfigurationError) in
      var elements: [Element] = []
      for part in list.split(separator: ",") {
        let part = part.trimmingCharacters(in: .whitespaces)
        guard let next = element(part) else {
          throw .invalidValue(setting: name, value: isSecret ? "…" : part, expected: expected)
        }
        elements.append(next)
      }
      // An empty list may stand for everything.
      guard list.isEmpty || !elements.isEmpty else {
        throw .invalidValue(setting: name, value: list, expected: expected)
      }
      settings[keyPath: property] = elements
    } value: {
      $0[keyPath: property].map { isSecret ? "(secret)" : text($0) }.joined(separator: ",")
    }
  }
}
