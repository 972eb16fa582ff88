public import HalcyonProcessing
/// Why the service cannot start with its settings.
public enum ConfigurationError: Error, Hashable {
  /// There is no setting of this name.
  case unknownSetting(String, origin: String)
  /// A setting has no valid value.
  case invalidValue(setting: String, value: String, expected: String)
  /// A flag has no value.
  case missingValue(setting: String)
  /// A file cannot be read.
  case unreadableFile(String, reason: String)
  /// A line of a file is not `NAME = VALUE`.
  case malformedLine(Int, file: String)
  /// A variable of imgproxy restricts the service or loads its secrets, and is not supported.
  case refusedVariable(String, reason: String)
  /// There are no keys, and signatures are required.
  case unsigned
  /// There are more keys than salts, or fewer.
  case unpairedKeys(keys: Int, salts: Int)
  /// The web page needs unsigned URLs.
  case signedGallery
  /// The settings of S3-compatible storage are incomplete.
  case incompleteStorage
  /// A preset is not valid.
  case invalidPresets(OptionError)
  /// A file or folder of a setting cannot be used.
  case unusableFile(setting: String, path: String, reason: String)
  /// The program that draws SVG cannot be used.
  case unusableProgram(String, reason: String)
  /// The process may open too few files.
  case tooFewDescriptors(Int)
  /// The service cannot listen at an address.
  case unusableAddress(String, reason: String)
}

extension ConfigurationError {
  /// The error with the names under which settings were given.
  func named(_ names: [String: String]) -> ConfigurationError {
    func named(_ setting: String) -> String { names[setting].map { "\(setting) (\($0))" } ?? setting }
    return switch self {
    case .invalidValue(let setting, let value, let expected):
      .invalidValue(setting: named(setting), value: value, expected: expected)
    case .unusableFile(let setting, let path, let reason):
      .unusableFile(setting: named(setting), path: path, reason: reason)
    default: self
    }
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// What is wrong, and how to mend it.
  public var description: String {
    switch self {
    case .unknownSetting(let name, let origin):
      "There is no setting “\(name)” (\(origin)). Run halcyon-serve --help for a list."
    case .invalidValue(let setting, let value, let expected):
      "The setting \(setting) is “\(value)”. Use \(expected)."
    case .missingValue(let setting):
      "The flag --\(setting) needs a value."
    case .unreadableFile(let path, let reason):
      // The messages of Foundation end with one.
      "\(path) cannot be read: \(reason.hasSuffix(".") ? reason : reason + ".") Check its path and permissions."
    case .malformedLine(let line, let file):
      "Line \(line) of \(file) is not a setting. Write NAME = VALUE, or begin it with #."
    case .refusedVariable(let name, let reason):
      "The service does not start with the variable \(name): \(reason). Remove it, or keep imgproxy."
    case .unsigned:
      """
      There is no key for signed URLs. Pass --keys and --salts, each in hexadecimal (openssl rand -hex 32), or \
      --insecure to accept every URL.
      """
    case .unpairedKeys(let keys, let salts):
      "There are \(keys) keys and \(salts) salts. Pass one salt for each key."
    case .signedGallery:
      "The web page of --gallery requests unsigned URLs. Add --insecure, on this machine only."
    case .incompleteStorage:
      """
      The settings of S3-compatible storage are incomplete. Set s3-region or s3-endpoint, and both of s3-access-key and \
      s3-secret-key, or neither of them for public buckets.
      """
    case .invalidPresets(let error):
      "A preset is not valid. \(error)"
    case .unusableFile(let setting, let path, let reason):
      "The setting \(setting) is \(path), which cannot be used: \(reason)"
    case .unusableProgram(let path, let reason):
      "The program that draws SVG, \(path), cannot be used: \(reason) Start the service again after its program was replaced."
    case .tooFewDescriptors(let limit):
      """
      The process may open \(limit) files, and needs at least \(ServiceConfiguration.leastDescriptorLimit). Raise the \
      limit: ulimit -n 1024, or LimitNOFILE of its unit.
      """
    case .unusableAddress(let address, let reason):
      "The service cannot listen at \(address): \(reason). Choose another port or host, or end what listens there."
    }
  }
}
