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
}

/// The configuration while it is read: keys and salts are not paired yet.
struct Settings: Sendable {
  var configuration = ServiceConfiguration()
  var keys: [Data] = []
  var salts: [Data] = []
  private var givenSourceTimeout: Duration?
  /// Whether every IP address may be connected to.
  var allowsAnyAddress = false
  var storage = StorageSettings()
  /// The names under which settings were given, where these differ.
  var givenNames: [String: String] = [:]
  /// Whether variables of imgproxy ask for the storage.
  var usesStorage = false
  /// Whether keys of the storage are those of the role of this machine, if there are no others.
  var usesInstanceRole = false

  /// The longest time for a source: at most half of the deadline by default, so that time is left for the fallback image.
  var sourceTimeout: Duration {
    get { givenSourceTimeout ?? min(ServiceConfiguration().sourceTimeout, configuration.deadline / 2) }
    set { givenSourceTimeout = newValue }
  }

  /// The configuration, checked for what depends on several settings.
  func checked() throws(ConfigurationError) -> ServiceConfiguration {
    var configuration = configuration
    configuration.givenNames = givenNames
    guard keys.count == salts.count else { throw .unpairedKeys(keys: keys.count, salts: salts.count) }
    configuration.keyPairs = zip(keys, salts).map { URLSigner.KeyPair(key: $0, salt: $1) }
    configuration.sourceTimeout = sourceTimeout
    for format in configuration.enforcedFormats where !configuration.automaticFormats.contains(format) {
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
    if allowsAnyAddress { configuration.addressPolicy = .any }
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
  /// A setting of one property.
  ///
  /// - Parameters:
  ///   - expected: What a text must be.
  ///   - read: The value of a text; `nil` for one that is not as expected.
  ///   - text: What the effective value is shown as.
  static func value<Value>(
    _ name: String, _ placeholder: String?, _ property: any WritableKeyPath<Settings, Value> & Sendable, _ help: String,
    isSecret: Bool = false, expected: String = "", read: @escaping @Sendable (String) -> Value?,
    text: @escaping @Sendable (Value) -> String
  ) -> Setting {
    Setting(name: name, placeholder: placeholder, help: help) { (text, settings) throws(ConfigurationError) in
      guard let value = read(text) else {
        throw .invalidValue(setting: name, value: isSecret ? "…" : text, expected: expected)
      }
      settings[keyPath: property] = value
    } value: {
      text($0[keyPath: property])
    }
  }

  /// A setting of a property that is `nil` by default.
  ///
  /// - Parameter acceptsNothing: Whether an empty text stands for `nil`.
  static func optional<Value>(
    _ name: String, _ placeholder: String, _ property: any WritableKeyPath<Settings, Value?> & Sendable, _ help: String,
    expected: String = "", acceptsNothing: Bool = false, read: @escaping @Sendable (String) -> Value?,
    text: @escaping @Sendable (Value) -> String
  ) -> Setting {
    value(name, placeholder, property, help, expected: expected) {
      acceptsNothing && $0.isEmpty ? .some(nil) : read($0).map(Optional.some)
    } text: {
      $0.map(text) ?? ""
    }
  }

  static func text(
    _ name: String, _ placeholder: String, _ property: any WritableKeyPath<Settings, String> & Sendable,
    isSecret: Bool = false, _ help: String
  ) -> Setting {
    value(name, placeholder, property, help, read: \.self) { isSecret && !$0.isEmpty ? "(secret)" : $0 }
  }

  static func text(
    _ name: String, _ placeholder: String, _ property: any WritableKeyPath<Settings, String?> & Sendable,
    isSecret: Bool = false, _ help: String
  ) -> Setting {
    optional(name, placeholder, property, help, acceptsNothing: true, read: \.self) { isSecret ? "(secret)" : $0 }
  }

  static func number(
    _ name: String, _ property: any WritableKeyPath<Settings, Int> & Sendable, in range: ClosedRange<Int>,
    _ help: String
  ) -> Setting {
    value(name, "N", property, help, expected: expected(range), read: { integer($0, in: range) }, text: { "\($0)" })
  }

  static func number(
    _ name: String, _ property: any WritableKeyPath<Settings, Int?> & Sendable, in range: ClosedRange<Int>,
    acceptsNothing: Bool = false, _ help: String
  ) -> Setting {
    optional(
      name, "N", property, help, expected: expected(range) + (acceptsNothing ? ", or nothing" : ""),
      acceptsNothing: acceptsNothing, read: { integer($0, in: range) }, text: { "\($0)" })
  }

  private static func expected(_ range: ClosedRange<Int>) -> String {
    "a whole number from \(range.lowerBound)" + (range.upperBound == .max ? "" : " to \(range.upperBound)")
  }

  static func integer(_ text: String, in range: ClosedRange<Int>) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  static func flag(
    _ name: String, _ property: any WritableKeyPath<Settings, Bool> & Sendable, _ help: String
  ) -> Setting {
    value(name, nil, property, help, expected: "true or false") { text in
      switch text.lowercased() {
      case "1", "true", "yes", "on": true
      case "0", "false", "no", "off": false
      default: nil
      }
    } text: {
      "\($0)"
    }
  }

  static func folder(
    _ name: String, _ property: any WritableKeyPath<Settings, URL?> & Sendable, _ help: String
  ) -> Setting {
    optional(name, "PATH", property, help, acceptsNothing: true) {
      URL(filePath: $0, directoryHint: .isDirectory)
    } text: {
      $0.path
    }
  }

  /// A file, or an image at a web or `data:` URL.
  static func file(_ name: String, _ property: any WritableKeyPath<Settings, URL?> & Sendable, _ help: String)
    -> Setting
  {
    value(name, "PATH or URL", property, help) { text in
      let isURL = ["http://", "https://", "data:"].contains { text.lowercased().hasPrefix($0) }
      return .some(text.isEmpty ? nil : isURL ? URL(string: text) : URL(filePath: text))
    } text: {
      $0.map { $0.isFileURL ? $0.path : $0.absoluteString.excerpt } ?? ""
    }
  }

  /// Seconds, also fractions.
  static func seconds(
    _ name: String, _ property: any WritableKeyPath<Settings, Duration> & Sendable,
    in range: ClosedRange<Double>, _ help: String
  ) -> Setting {
    value(
      name, "SECONDS", property, help, expected: "seconds from \(range.lowerBound) to \(range.upperBound)",
      read: { Double($0).flatMap { range.contains($0) ? .seconds($0) : nil } }, text: { "\($0 / .seconds(1))" })
  }

  /// Milliseconds, from 1 to 60,000.
  static func milliseconds(
    _ name: String, _ property: any WritableKeyPath<Settings, Duration> & Sendable, _ help: String
  ) -> Setting {
    value(
      name, "MS", property, help, expected: "milliseconds from 1 to 60000",
      read: { integer($0, in: 1...60_000).map { .milliseconds($0) } },
      text: { "\(Int(($0 / .milliseconds(1)).rounded()))" })
  }

  /// A name of letters, digits, `-`, `_`, `.` and, if allowed, `/`.
  static func name(
    _ name: String, _ property: any WritableKeyPath<Settings, String> & Sendable, length: ClosedRange<Int>,
    allowsSlash: Bool = false, _ help: String
  ) -> Setting {
    value(name, "TEXT", property, help, expected: "letters, digits, “-”, “_” and “.”") { text in
      let isValid = text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
          || "-_.".unicodeScalars.contains(scalar) || allowsSlash && scalar == "/"
      }
      return isValid && length.contains(text.utf8.count) ? text : nil
    } text: {
      $0
    }
  }

  static func list<Element>(
    _ name: String, _ placeholder: String, separator: Character = ",",
    _ property: any WritableKeyPath<Settings, [Element]> & Sendable, _ help: String, isSecret: Bool = false,
    expected: String, element: @escaping @Sendable (String) -> Element?, text: @escaping @Sendable (Element) -> String
  ) -> Setting {
    Setting(name: name, placeholder: placeholder, help: help) { (list, settings) throws(ConfigurationError) in
      var elements: [Element] = []
      for part in list.split(separator: separator) {
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
      $0[keyPath: property].map { isSecret ? "(secret)" : text($0) }.joined(separator: String(separator))
    }
  }

  static func formats(
    _ name: String, _ property: any WritableKeyPath<Settings, [ImageFormat]> & Sendable, _ help: String,
    expected: String, where isAccepted: @escaping @Sendable (ImageFormat) -> Bool = { _ in true }
  ) -> Setting {
    list(
      name, "FORMAT,…", property, help, expected: expected,
      element: { ImageFormat(fileExtension: $0).flatMap { isAccepted($0) ? $0 : nil } }, text: { $0.rawValue })
  }
}
