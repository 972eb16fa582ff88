import Foundation
import Halcyon

/// An environment variable of imgproxy, and what it does here.
struct ImgproxyVariable: Sendable {
  /// The settings that a value stands for, with their values.
  typealias Translation = @Sendable (_ value: String) throws(ConfigurationError) -> [(setting: String, value: String)]

  enum Effect: Sendable {
    /// The value stands for settings.
    case settings(Translation)
    /// The value is read together with others, or says what is always so.
    case combined
    /// None, which the log says.
    case missing
    /// It restricts the service or has its secrets, so without it the service does not start.
    case refused(reason: String)
  }

  /// The name without `IMGPROXY_`.
  let name: String
  let effect: Effect
  /// What the manual says: *same*, the difference, or *missing*.
  let note: String

  /// Variables whose values are those of a setting.
  static func settings(_ note: String, _ names: KeyValuePairs<String, String>) -> [ImgproxyVariable] {
    names.map { name, setting in
      let translation: Translation = { (value) throws(ConfigurationError) in [(setting, value)] }
      return ImgproxyVariable(name: name, effect: .settings(translation), note: note)
    }
  }

  /// Variables that turn a setting on or off.
  static func flags(_ note: String, _ names: KeyValuePairs<String, String>) -> [ImgproxyVariable] {
    names.map { name, setting in
      let translation: Translation = { (value) throws(ConfigurationError) in
        [(setting, try isTrue(value, name) ? "true" : "false")]
      }
      return ImgproxyVariable(name: name, effect: .settings(translation), note: note)
    }
  }

  /// Variables whose values are those of a setting, where 0 stands for its default.
  static func limits(_ note: String, _ names: KeyValuePairs<String, String>) -> [ImgproxyVariable] {
    names.map { name, setting in
      let translation: Translation = { (value) throws(ConfigurationError) in value == "0" ? [] : [(setting, value)] }
      return ImgproxyVariable(name: name, effect: .settings(translation), note: note)
    }
  }

  /// Numbers of megapixels, where 0 stands for the default of a setting.
  static func megapixels(_ note: String, _ names: KeyValuePairs<String, String>) -> [ImgproxyVariable] {
    names.map { name, setting in
      let translation: Translation = { (text) throws(ConfigurationError) in
        guard let value = Double(text), value >= 0, value < 1e9 else {
          throw .invalidValue(setting: ImgproxyVariables.prefix + name, value: text, expected: "megapixels")
        }
        return value > 0 ? [(setting, "\(Int(value * 1e6))")] : []
      }
      return ImgproxyVariable(name: name, effect: .settings(translation), note: note)
    }
  }

  /// Lists of formats, of which those that imgproxy has and this service does not are left out.
  static func formats(_ note: String, _ names: KeyValuePairs<String, String>) -> [ImgproxyVariable] {
    let foreign: Set = ["mp4", "pdf", "psd", "raw", "ico", "bmp", "tiff", "tif", "heic", "heif"]
    return names.map { name, setting in
      let translation: Translation = { (value) throws(ConfigurationError) in
        let formats = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let known = formats.filter { ImageFormat(fileExtension: $0) != nil || !foreign.contains($0.lowercased()) }
        return known.isEmpty ? [] : [(setting, known.joined(separator: ","))]
      }
      return ImgproxyVariable(name: name, effect: .settings(translation), note: note)
    }
  }

  static func translated(_ name: String, _ note: String, _ translation: @escaping Translation) -> [ImgproxyVariable] {
    [ImgproxyVariable(name: name, effect: .settings(translation), note: note)]
  }

  /// Variables without which the service is less strict, or lacks its secrets; with them it does not start.
  static func refused(_ names: String, _ reason: String) -> [ImgproxyVariable] {
    all(names, .refused(reason: reason), "*refused*: \(reason)")
  }

  /// Variables with one effect, their names separated by spaces.
  static func all(_ names: String, _ effect: Effect, _ note: String) -> [ImgproxyVariable] {
    names.split(separator: " ").map { ImgproxyVariable(name: String($0), effect: effect, note: note) }
  }

  /// A boolean in the spellings of Go; others are errors, as in imgproxy, where a misspelt `true` does not start either.
  static func isTrue(_ text: String, _ name: String) throws(ConfigurationError) -> Bool {
    switch text {
    case "1", "t", "T", "true", "TRUE", "True": true
    case "0", "f", "F", "false", "FALSE", "False": false
    default: throw .invalidValue(setting: ImgproxyVariables.prefix + name, value: text, expected: "true or false")
    }
  }
}
