#if os(Linux)
import Foundation
import Halcyon

/// A child process of this program that runs `BenchOrigin`.
struct OriginProcess {
  let baseURL: String
  private let process = Process()
  private let input = Pipe()

  init() throws {
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["origin"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    baseURL = "http://127.0.0.1:" + port.filter(\.isNumber)
  }

  func url(_ path: String) throws -> URL {
    guard let url = URL(string: "\(baseURL)/\(path)") else { throw ImageError.invalidURL(path) }
    return url
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
#endif
