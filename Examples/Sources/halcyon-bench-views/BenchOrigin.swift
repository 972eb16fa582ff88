import Foundation
import GalleryOrigin
import Halcyon

/// The gallery's web server in a process of its own, so that its memory is not counted, with all pictures encoded.
struct BenchOrigin {
  private static let pictureCount = 500

  let urls: [URL]
  private let process: Process
  private let input: Pipe

  init() async throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["origin"]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let reader = output.fileHandleForReading
    urls = await Task.detached {
      var text = Data()
      while text.count(where: { $0 == UInt8(ascii: "\n") }) < Self.pictureCount {
        let piece = reader.availableData
        if piece.isEmpty { break }
        text += piece
      }
      return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { URL(string: String($0)) }
    }.value
    (self.process, self.input) = (process, input)
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Serves until the standard input ends, which it does with the process that started this one.
  static func serve() async throws {
    try await GalleryOrigin.run(pictureCount: pictureCount, isDistant: false) { origin in
      let pipeline = ImagePipeline(cache: ImageCache())
      // What is asked for once is encoded.
      for picture in origin.pictures { _ = try? await pipeline.data(for: ImageRequest(url: picture.url)) }
      let lines = origin.pictures.map(\.url.absoluteString).joined(separator: "\n")
      FileHandle.standardOutput.write(Data("\(lines)\n".utf8))
      await Task.detached { while !FileHandle.standardInput.availableData.isEmpty {} }.value
    }
  }
}
