import Foundation

/// The photographs that come with the tests.
enum Photos {
  static func data(_ name: String) throws -> Data {
    // This file lies beside the folder that the photographs are in.
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: tests.appending(path: "Support/Photos/\(name)"))
  }
}
