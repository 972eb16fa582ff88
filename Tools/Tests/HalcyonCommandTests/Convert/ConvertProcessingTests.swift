import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Options of `halcyon convert` that are those of image URLs.
@Suite(.integrationTest)
struct ConvertProcessingTests {
  @Test func `a watermark is drawn over the lower right corner`() async throws {
    try await withFolders { sources, output in
      try writePhoto("chelsea.png", to: sources, as: ["a.png"])
      let mark = try Bitmap(size: PixelSize(width: 20, height: 10), isOpaque: true) { bytes in
        for index in bytes.indices { bytes[index] = index % 4 == 0 || index % 4 == 3 ? 255 : 0 }
      }
      let logo = sources.path() + "logo.png"
      try await DecodedImage(bitmap: mark).write(to: URL(filePath: logo))
      let result = output.appending(path: "a.png")
      let arguments = ["convert", sources.path() + "a.png", "-o", result.path(), "--overwrite"]
      #expect(try await CommandRun(arguments + ["--watermark", logo]).status == 0)
      let image = try await DecodedImage(contentsOf: result).bitmap
      #expect(image[440, 289] == (255, 0, 0, 255) && image[421, 280] == (255, 0, 0, 255))
      #expect(image[442, 289] != (255, 0, 0, 255) && image[10, 10] != (255, 0, 0, 255))
      #expect(try await CommandRun(arguments + ["--watermark", logo, "--process", "wm:1:nowe"]).status == 0)
      #expect(try await DecodedImage(contentsOf: result).bitmap[2, 2] == (255, 0, 0, 255))
      let missing = try await CommandRun(arguments + ["--watermark", sources.path() + "gone.png"])
      #expect(missing.status == 1, "\(missing.errors)")
      #expect(missing.errors.contains("gone.png cannot be read"), "\(missing.errors)")
    }
  }

  @Test func `a line names the format, the quality and the bytes of results`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let run = try await CommandRun(
        "convert", sources.path(), "-o", output.path(), "--process", "w:200/f:webp/q:95/mb:5000", "--json")
      let report = try #require(try run.objects().first)
      #expect(report["format"] as? String == "webp" && report["width"] as? Int == 200)
      #expect((report["outputBytes"] as? Int).map { $0 <= 5000 && $0 > 2000 } == true, "\(report)")
    }
  }
}
