import Foundation

/// The keys of the file that programs for Amazon's services share, `~/.aws/credentials`.
enum SharedCredentials {
  /// The names of the file, and the variables that have their values elsewhere.
  private static let names = [
    "aws_access_key_id": "AWS_ACCESS_KEY_ID", "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY",
    "aws_session_token": "AWS_SESSION_TOKEN",
  ]

  /// The environment with the keys of the file, unless it has keys or names a role.
  static func adding(to environment: [String: String]) -> [String: String] {
    let others = ["AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE"]
    let path = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? environment["HOME"].map { $0 + "/.aws/credentials" }
    guard !others.contains(where: { environment[$0]?.isEmpty == false }), let path,
      let text = try? String(contentsOfFile: path, encoding: .utf8)
    else { return environment }
    return environment.merging(keys(in: text, profile: environment["AWS_PROFILE"] ?? "default")) { $1 }
  }

  /// The region of the profile in the files that have keys and settings; `nil` without one.
  static func region(_ environment: [String: String]) -> String? {
    let profile = environment["AWS_PROFILE"] ?? "default"
    let home = environment["HOME"].map { $0 + "/.aws/" }
    let files = [
      (
        environment["AWS_CONFIG_FILE"] ?? home.map { $0 + "config" },
        profile == "default" ? profile : "profile " + profile
      ),
      (environment["AWS_SHARED_CREDENTIALS_FILE"] ?? home.map { $0 + "credentials" }, profile),
    ]
    return files.lazy.compactMap { path, section in
      let text = path.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
      return text.flatMap { values(in: $0, section: section)["region"] }
    }.first
  }

  /// The keys of a profile's section.
  static func keys(in text: String, profile: String) -> [String: String] {
    let values = values(in: text, section: profile).compactMap { name, value in names[name].map { ($0, value) } }
    return Dictionary(values) { $1 }
  }

  private static func values(in text: String, section: String) -> [String: String] {
    var values: [String: String] = [:]
    var isInSection = false
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("[") {
        isInSection = line.trimmingCharacters(in: CharacterSet(charactersIn: "[] \t")) == section
        continue
      }
      let sides = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if isInSection, sides.count == 2 { values[sides[0].lowercased()] = sides[1] }
    }
    return values
  }
}
