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
      let other = try await CommandRun(
        "convert", sources.path(), "-o", output.path(), "--process", "f:webp", "--format", "png", "--dry-run", "--json")
      #expect(try other.objects().first?["format"] as? String == "png", "\(other.output)")
    }
  }

  @Test func `borders of nearly one colour are removed`() async throws {
    try await withFolders { sources, output in
      // Red on white, which is a little yellow at the right.
      let framed = try Bitmap(size: PixelSize(width: 40, height: 30), isOpaque: true) { bytes in
        for index in bytes.indices {
          let (x, y) = (index / 4 % 40, index / 160)
          let isRed = (10..<30).contains(x) && (10..<20).contains(y)
          let pixel: [UInt8] = [255, isRed ? 0 : 255, isRed ? 0 : x > 32 ? 250 : 255, 255]
          bytes[index] = pixel[index % 4]
        }
      }
      try await DecodedImage(bitmap: framed).write(to: sources.appending(path: "a.png"))
      let run = try await CommandRun("convert", sources.path(), "-o", output.path(), "--trim", "--json")
      let report = try #require(try run.objects().first)
      #expect(report["width"] as? Int == 20)
      #expect(report["height"] as? Int == 10)
    }
  }

  @Test(
    arguments: [
      (["--crop", "10x20+30+40"], (10, 20), (30, 40)), (["--crop", "20x30+110+70"], (10, 20), (110, 70)),
      (["--crop", "500x10"], (120, 10), (0, 40)), (["--crop", "118x88"], (118, 88), (1, 1)),
      (["--crop", "90x10"], (90, 10), (15, 40)), (["--crop", "20x80"], (20, 80), (50, 5)),
      (["--crop", "20x80+60+0", "--rotate", "90"], (20, 80), (0, 29)),
      // As in the URLs of the service.
      (["--process", "c:118:88"], (118, 88), (2, 2)), (["--process", "c:20:30:nowe:110:70"], (20, 30), (100, 60)),
      (["--crop", "10x10+120+0", "--process", "c:118:88"], (118, 88), (2, 2)),
    ] as [([String], (Int, Int), (Int, Int))])
  func `an area is cut out at its place, as far as the picture has it`(
    options: [String], size: (Int, Int), first: (Int, Int)
  ) async throws {
    try await withFolders { sources, output in
      let files = (sources.path() + "a.png", output.appending(path: "a.png"))
      try await writeMap(to: files.0)
      let run = try await CommandRun(["convert", files.0, "-o", files.1.path()] + options)
      #expect(run.status == 0, "\(run.errors)")
      let image = try await DecodedImage(contentsOf: files.1).bitmap
      #expect(image.size == PixelSize(width: size.0, height: size.1))
      #expect(Int(image[0, 0].red) == first.0)
      #expect(Int(image[0, 0].green) == first.1)
    }
  }

  @Test(arguments: [
    (["120x1+120+0"], "120x90"), (["1x1+0+90"], "120x90"), (["1x1+90+0", "--rotate", "90"], "90x120"),
    (["1x1+9223372036854775807+0", "--trim"], "120x90"), (["1x1+0+90", "--dry-run"], "120x90"),
  ])
  func `an area outside the picture is an error that names its size`(crop: [String], size: String) async throws {
    try await withFolders { sources, output in
      try await writeMap(to: sources.path() + "a.png")
      let run = try await CommandRun(["convert", sources.path(), "-o", output.path(), "--crop"] + crop)
      #expect(run.status == 1, "\(run.output)")
      #expect(run.errors.contains("outside the image of \(size) pixels"), "\(run.errors)")
      #expect(try names(in: output) == [])
    }
  }

  /// Writes an image of 120x90 pixels that say where they are, in red and green.
  private func writeMap(to path: String) async throws {
    let map = try Bitmap(size: PixelSize(width: 120, height: 90), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = UInt8([index / 4 % 120, index / 480, 0, 255][index % 4]) }
    }
    try await DecodedImage(bitmap: map).write(to: URL(filePath: path))
  }
}
