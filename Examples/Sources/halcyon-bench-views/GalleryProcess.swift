import Foundation
import GalleryOrigin
import Halcyon

/// The gallery's web server in a separate process, so that its memory is not counted, with all images encoded.
struct GalleryProcess {
  private static let imageCount = 500

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
      while text.count(where: { $0 == UInt8(ascii: "\n") }) < Self.imageCount {
        let chunk = reader.availableData
        if chunk.isEmpty { break }
        text += chunk
      }
      return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { URL(string: String($0)) }
    }.value
    (self.process, self.input) = (process, input)
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Serves until standard input is closed, at the latest by the exit of the parent process.
  static func serve() async throws {
    try await GalleryOrigin.run(imageCount: imageCount, isDistant: false) { origin in
      let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
      // The first request of an image encodes it.
      for image in origin.images { _ = try? await pipeline.data(for: ImageRequest(url: image.url)) }
      let lines = origin.images.map(\.url.absoluteString).joined(separator: "\n")
      FileHandle.standardOutput.write(Data("\(lines)\n".utf8))
      await Task.detached { while !FileHandle.standardInput.availableData.isEmpty {} }.value
    }
  }
}
