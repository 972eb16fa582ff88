import Foundation
import Halcyon

/// What an environment variable of imgproxy does here. Names are without `IMGPROXY_`.
enum ImgproxyVariable: Sendable {
  /// The settings that the value of the variable with a name stands for, with their values.
  typealias Translation =
    @Sendable (_ value: String, _ name: String) throws(ConfigurationError) -> [(setting: String, value: String)]

  /// The value stands for settings.
  case settings(Translation)
  /// The value is read together with others, or says what is always so.
  case combined
  /// It restricts the service or has its secrets, so without it the service does not start.
  case refused(reason: String)

  /// Variables whose values are those of a setting.
  static func settings(_ names: [String: String]) -> [String: ImgproxyVariable] {
    names.mapValues { setting in .settings { (value, _) throws(ConfigurationError) in [(setting, value)] } }
  }

  /// Variables that turn a setting on or off.
  static func flags(_ names: [String: String]) -> [String: ImgproxyVariable] {
    names.mapValues { setting in
      .settings { (value, name) throws(ConfigurationError) in [(setting, try isTrue(value, name) ? "true" : "false")] }
    }
  }

  /// Variables whose values are those of a setting, where 0 stands for its default.
  static func limits(_ names: [String: String]) -> [String: ImgproxyVariable] {
    names.mapValues { setting in
      .settings { (value, _) throws(ConfigurationError) in value == "0" ? [] : [(setting, value)] }
    }
  }

  /// Numbers of megapixels, where 0 stands for the default of a setting.
  static func megapixels(_ names: [String: String]) -> [String: ImgproxyVariable] {
    names.mapValues { setting in
      .settings { (text, name) throws(ConfigurationError) in
        guard let value = Double(text), value >= 0, value < 1e9 else {
          throw .invalidValue(setting: ImgproxyVariables.prefix + name, value: text, expected: "megapixels")
        }
        return value > 0 ? [(setting, "\(Int(value * 1e6))")] : []
      }
    }
  }

  /// Lists of formats, of which those that imgproxy has and this service does not are left out.
  static func formats(_ names: [String: String]) -> [String: ImgproxyVariable] {
    let foreign: Set = ["mp4", "pdf", "psd", "raw", "ico", "bmp", "tiff", "tif", "heic", "heif"]
    return names.mapValues { setting in
      .settings { (value, _) throws(ConfigurationError) in
        let formats = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let known = formats.filter { ImageFormat(fileExtension: $0) != nil || !foreign.contains($0.lowercased()) }
        return known.isEmpty ? [] : [(setting, known.joined(separator: ","))]
      }
    }
  }

  /// Variables with one effect, their names separated by spaces.
  static func all(_ names: String, _ effect: ImgproxyVariable) -> [String: ImgproxyVariable] {
    Dictionary(uniqueKeysWithValues: names.split(separator: " ").map { (String($0), effect) })
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
