#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Loads a thousand images from network, disk cache and files, and each once more from memory, to be run under strace.
@MainActor
enum LoadsScene {
  /// Paths that do not exist; `access` on them marks the beginning and the end of the loads in the trace.
  private static let marks = (begin: "/halcyon-loads-begin", end: "/halcyon-loads-end")
  private static let loadCount = 1000

  static func play(_ stage: Stage) async throws {
    try await TemporaryDirectory.run { folder in
      try await ImageServer.run { server in
        let data = try SolidImage.png(.green, width: 60, height: 60)
        let urls = try (0..<100).map { number in
          guard number % 2 == 1 else {
            return server.serve("/\(number).png", .body(data, headers: ["Cache-Control": "max-age=600"]))
          }
          let file = folder.appending(path: "\(number).png")
          try data.write(to: file)
          return file
        }
        // A separate folder: the disk cache keeps writing for a moment after the loads.
        let cacheDirectory = FileManager.default.temporaryDirectory.appending(
          path: "halcyon-loads-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: cacheDirectory) }
        try await load(urls, cacheDirectory: cacheDirectory, stage)
      }
    }
  }

  private static func load(_ urls: [URL], cacheDirectory: URL, _ stage: Stage) async throws {
    let pipeline = ImagePipeline { $0.cache = ImageCache(in: cacheDirectory) }
    var pictures: [UnsafeMutablePointer<GtkWidget>] = []
    for _ in 0..<10 { pictures.append(try await stage.addPicture(width: 20, height: 20)) }
    let (outcome, hits) = (Outcome(), Outcome())
    access(marks.begin, F_OK)
    for step in 0..<loadCount {
      // First loads come from the network or a file, later ones from the disk cache: the memory cache is emptied.
      if step % 100 == 0 { pipeline.cache.memory.removeAll() }
      pictures[step % 10].hc.setImage(with: urls[step % 100], pipeline: pipeline, completion: outcome.take)
      guard step % 10 == 9 else { continue }
      try await stage.until("ten are loaded") { outcome.count == step + 1 }
      for (index, picture) in pictures.enumerated() {
        picture.hc.setImage(with: urls[(step - index) % 100], pipeline: pipeline, completion: hits.take)
      }
      try stage.require(hits.count == step + 1, "images in memory are not shown at once: \(hits.count) of \(step + 1)")
    }
    access(marks.end, F_OK)
    await pipeline.cache.flush()
  }
}
#endif
