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

  /// The values of a profile's section.
  static func keys(in text: String, profile: String) -> [String: String] {
    var keys: [String: String] = [:]
    var isInProfile = false
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("[") {
        isInProfile = line.trimmingCharacters(in: CharacterSet(charactersIn: "[] \t")) == profile
        continue
      }
      let sides = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard isInProfile, sides.count == 2, let name = names[sides[0].lowercased()] else { continue }
      keys[name] = sides[1]
    }
    return keys
  }
}
