import Foundation
import Halcyon
@_spi(Programs) import HalcyonImaging
import HalcyonTestSupport

/// Loads every photograph from each cache tier, and prints its origin and the time that the load took.
struct Demo {
  private static let targetSize = TargetSize.fill(width: 320, height: 240)

  private static var build: String {
    #if DEBUG
    "a debug build, which is not optimised"
    #else
    "a release build"
    #endif
  }

  private let server: ImageServer
  private let cacheDirectory: URL

  init(server: ImageServer, cacheDirectory: URL) {
    self.server = server
    self.cacheDirectory = cacheDirectory
  }

  func run() async throws {
    let urls = try Photos.names.map { server.serve("/\($0)", .body(try Photos.data($0))) }
    print("\(urls.count) photographs from a web server at \(server.url("/").absoluteString), loaded by \(Self.build)\n")
    print(Row.header)

    let first = ImagePipeline { $0.cache = ImageCache(in: cacheDirectory) }
    let images = try await load(urls, with: first)
    await first.cache.flush()
    // As in a new process: nothing in the memory cache, everything in the disk cache.
    let second = ImagePipeline { $0.cache = ImageCache(in: cacheDirectory) }
    _ = try await load(urls, with: second)
    _ = try await load(urls, with: second)

    try await coalesce(first)
    try writeContactSheet(images)
  }

  private func load(_ urls: [URL], with pipeline: ImagePipeline) async throws -> [DecodedImage] {
    var images: [DecodedImage] = []
    for url in urls {
      let start = ContinuousClock.now
      let response = try await pipeline.response(for: ImageRequest(url: url, size: Self.targetSize))
      print(Row(name: url.lastPathComponent, response: response, elapsed: start.duration(to: .now)).line)
      images.append(response.image)
    }
    print("")
    return images
  }

  private func coalesce(_ pipeline: ImagePipeline) async throws {
    let url = server.serve("/shared.jpg", .body(try Photos.data("rocket.jpg")))
    let tasks = (0..<1000).map { _ in pipeline.task(for: ImageRequest(url: url)) }
    var delivered = 0
    for task in tasks where try await task.image.size.width > 0 { delivered += 1 }
    await pipeline.cache.flush()
    print(
      "1000 concurrent requests for one URL: \(server.requests(for: "/shared.jpg").count) GET, \(delivered) images")
  }

  private func writeContactSheet(_ images: [DecodedImage]) throws {
    let sheet = try ContactSheet(images.map(\.bitmap), columns: 4).draw()
    let file = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: "contact-sheet.jpg")
    let image = DecodedImage(bitmap: sheet, info: ImageInfo(format: .jpeg, storedSize: sheet.size))
    try image.write(to: file, quality: 0.9)
    print("Contact sheet of all photographs: \(file.path())")
  }
}
