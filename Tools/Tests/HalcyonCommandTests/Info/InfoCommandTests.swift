import Foundation
import Halcyon
import HalcyonCodecs
import TestSupport
import TestTraits
import Testing

@Suite(.integrationTest)
struct InfoCommandTests {
  @Test func `a folder is searched, continuing after files that cannot be read`() async throws {
    try await withOrigin { server, folder in
      for name in ["clock_motion.png", "rocket.jpg"] {
        try Photos.data(name).write(to: folder.appending(path: name))
      }
      try Photos.data("rocket.jpg").prefix(50_000).write(to: folder.appending(path: "cut.jpg"))
      try Data("hello".utf8).write(to: folder.appending(path: "text.txt"))
      let run = try await CommandRun("info", folder.path(percentEncoded: false), "--decode", "--json")
      let reports = try run.objects()
      #expect(run.status == 1)
      #expect(
        reports.map { ($0["path"] as? String)?.split(separator: "/").last } == [
          "clock_motion.png", "cut.jpg", "rocket.jpg",
        ])
      #expect(run.errors == "Skipped 1 file that is not an image.\n")
      #expect(reports.map { $0["format"] as? String } == ["png", "jpeg", "jpeg"])
      #expect(reports.map { $0["width"] as? Int } == [400, 640, 640])
      #expect(reports.map { $0["frames"] as? Int } == [1, 1, 1])
      #expect(reports.map { $0["milliseconds"] is Double } == [true, false, true])
      #expect(reports.map { $0["error"] is String } == [false, true, false])
      #expect(reports.allSatisfy { $0.keys.contains("error") && $0.keys.contains("height") })
    }
  }

  @Test func `URLs and file paths are accepted together`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/cat.png", .body(try Photos.data("chelsea.png"))).absoluteString
      let run = try await CommandRun("info", url, "no-such-file.png", "--cache-dir", folder.path() + "/c")
      #expect(run.output.contains("\(url): png 451x300, 8-bit rgb"))
      #expect(run.output.contains("no-such-file.png cannot be read"))
      #expect(run.output.components(separatedBy: "no-such-file.png").count == 2)
      #expect(run.status == 1)
    }
  }

  @Test func `camera, date, profile and animation are printed`() async throws {
    try await withOrigin { _, folder in
      let photo = folder.appending(path: "photo.jpg")
      try Photos.data("rocket.jpg").write(to: photo)
      let image = try await ImagePipeline().image(for: photo)
      let fields = ImageMetadata(info: image.info, cameraMake: "Canon", cameraModel: "R5", copyright: "Ann\u{1B}[2J")
      try await image.write(to: photo, metadata: fields)
      let animation = folder.appending(path: "animation.gif")
      try TinyGIF.animation(reds: [200, 10]).write(to: animation)
      let run = try await CommandRun("info", photo.path(), animation.path())
      #expect(run.output.contains(", Canon R5, Ann[2J\n"))
      #expect(run.output.contains("2 frames, 0."))
      let reports = try await CommandRun("info", photo.path(), "--json").objects()
      #expect(reports.map { $0["camera"] as? String } == ["Canon R5"])
      #expect(reports.allSatisfy { $0.keys.contains("captureDate") && $0.keys.contains("seconds") })
    }
  }

  @Test func `each format has one line`() async throws {
    let run = try await CommandRun("formats")
    #expect(run.status == 0)
    #expect(run.output.contains("png: read, animations, write\n"))
    #expect(run.output.contains("heic: read\n"))
    #expect(try await CommandRun("formats", "--json").objects().count == run.output.split(separator: "\n").count)
  }
}
