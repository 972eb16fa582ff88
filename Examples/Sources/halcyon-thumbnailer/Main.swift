import Foundation
import Halcyon

/// `halcyon-thumbnailer FOLDER SOURCE…` saves a WebP thumbnail of each image, given by its URL or file, in a folder.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let folder = arguments.first, arguments.count > 1 else {
      print("usage: halcyon-thumbnailer FOLDER SOURCE…")
      exit(2)
    }
    let directory = URL(filePath: folder, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let requests = arguments.dropFirst().map { ImageRequest(source: source($0), size: .fit(width: 320, height: 320)) }

    var failureCount = 0
    for await item in ImagePipeline.shared.results(for: requests, concurrencyLimit: 8) {
      let count = "\(item.progress.completedCount + item.progress.failedCount) of \(item.progress.totalCount)"
      do {
        let file = directory.appending(path: "\(item.index + 1).webp")
        try await item.result.get().image.write(to: file, quality: 0.8)
        print("\(count): \(file.lastPathComponent)")
      } catch {
        failureCount += 1
        print("\(count): skipped, \(error)")
      }
    }
    await ImagePipeline.shared.cache.flush()
    exit(failureCount == 0 ? 0 : 1)
  }

  private static func source(_ text: String) -> ImageSource {
    FileManager.default.fileExists(atPath: text) ? .url(URL(filePath: text)) : .string(text)
  }
}
