import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct CompareCommandTests {
  @Test func `an image is identical to itself`() async throws {
    try await withPhotos { rocket, _, folder in
      let run = try await CommandRun(
        "compare", rocket, rocket, "--json", "--threshold", "1", "--cache-dir", folder.path() + "/c")
      #expect(run.status == 0, "\(run.errors)")
      let report = try #require(try run.objects().first)
      #expect(report["ssim"] as? Double == 1)
      #expect(report["psnr"] == nil)
      #expect(report["largestDifference"] as? Int == 0)
      #expect(report["isBelowThreshold"] as? Bool == false)
    }
  }

  @Test func `images with any difference are not entirely similar`() async throws {
    try await withPhotos { _, _, folder in
      for (name, value) in [("a", 100), ("b", 101)] as [(String, UInt8)] {
        let bitmap = try Bitmap(size: PixelSize(width: 900, height: 600), isOpaque: true) { bytes in
          for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index / 4) }
          bytes[0] = value
        }
        try await DecodedImage(bitmap: bitmap).write(to: URL(filePath: folder.path() + "/\(name).png"))
      }
      let files = ["a", "b"].map { folder.path() + "/\($0).png" }
      let picture = folder.path() + "/difference.png"
      for (options, red) in [([], 8), (["--gain", "20", "--overwrite"], 20)] as [([String], UInt8)] {
        let run = try await CommandRun(
          ["compare"] + files + ["--json", "-o", picture, "--cache-dir", folder.path() + "/c"] + options)
        #expect(try run.objects().first?["ssim"] as? Double == 0.999999, "\(run.output)\(run.errors)")
        #expect(try await DecodedImage(contentsOf: URL(filePath: picture)).bitmap[0, 0] == (red, 0, 0, 255))
      }
    }
  }

  @Test func `below the threshold the status is 1, and a picture shows the differences`() async throws {
    try await withPhotos { rocket, progressive, folder in
      let picture = folder.path() + "/difference.png"
      let run = try await CommandRun(
        "compare", rocket, progressive, "--threshold", "0.999", "-o", picture, "--verbose", "--cache-dir",
        folder.path() + "/c")
      #expect(run.status == 1)
      #expect(run.output.hasPrefix("SSIM 0.98"))
      #expect(run.output.contains("PSNR 29.7"))
      let info = try await CommandRun("info", picture, "--json", "--cache-dir", folder.path() + "/c")
      #expect(try info.objects().first?["width"] as? Int == 640)
      let again = try await CommandRun(
        "compare", rocket, progressive, "-o", picture, "--cache-dir", folder.path() + "/c")
      #expect(again.status == 2)
      #expect(again.errors.contains("\(picture) exists. Replace it with --overwrite"))
      let photo = folder.path() + "/difference.jpg"
      let accepted = try await CommandRun(
        "compare", rocket, progressive, "--threshold", "0.9", "-o", photo, "--cache-dir", folder.path() + "/c")
      #expect(accepted.status == 0, "\(accepted.errors)")
      #expect(try Data(contentsOf: URL(filePath: photo)).starts(with: [0xFF, 0xD8]))
    }
  }

  @Test func `different sizes are an error that names them, unless the larger image is reduced`() async throws {
    try await withPhotos { rocket, _, folder in
      let cache = ["--cache-dir", folder.path() + "/c"]
      let small = try await CommandRun(["get", rocket, "--size", "200x", "-o", folder.path() + "/small.png"] + cache)
      #expect(small.status == 0)
      let arguments = ["compare", rocket, folder.path() + "/small.png"]
      let run = try await CommandRun(arguments + cache)
      #expect(run.status == 2)
      #expect(run.errors.contains("different sizes, 640x427 and 200x133. Use --resize"))
      let resized = try await CommandRun(arguments + ["--resize", "--threshold", "0.99"] + cache)
      #expect(resized.status == 0, "\(resized.errors) \(resized.output)")
      let reversed = try await CommandRun(["compare", arguments[2], rocket, "--resize", "--json"] + cache)
      #expect(try reversed.objects().first?["width"] as? Int == 200, "\(reversed.errors)")
      // A width of 1.49 pixels has become 1.
      let tall = ["10x1000", "1x149"].map { "\(folder.path())/\($0).png" }
      for (file, size) in zip(tall, ["10x1000", "1x149"]) {
        let made = try await CommandRun("convert", rocket, "-o", file, "--size", size, "--resize", "exact")
        #expect(made.status == 0, "\(made.errors)")
      }
      let rounded = try await CommandRun(["compare"] + tall + ["--resize"] + cache)
      #expect(rounded.status == 0, "\(rounded.errors)")
    }
  }

  @Test func `a transparent pixel differs from a black one, and the report and a picture show where`() async throws {
    try await withPhotos { _, _, folder in
      let files = ["a", "b", "difference"].map { folder.path() + "/\($0).png" }
      for (file, alpha) in zip(files, [255, 0] as [UInt8]) {
        let bitmap = try Bitmap(size: PixelSize(width: 8, height: 8), isOpaque: false) { bytes in
          for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : 0 }
          bytes[(2 * 8 + 3) * 4 + 3] = alpha
        }
        try await DecodedImage(bitmap: bitmap).write(to: URL(filePath: file))
      }
      let run = try await CommandRun(
        "compare", files[0], files[1], "-o", files[2], "--json", "--threshold", "0.9", "--cache-dir",
        folder.path() + "/c")
      #expect(run.status == 1, "\(run.output)\(run.errors)")
      #expect(run.output.contains("\"largestDifferenceAt\":[3,2]"), "\(run.output)")
      #expect(run.output.contains("\"isBelowThreshold\":true"), "\(run.output)")
      // The noise is that of the colours, which are equal.
      let report = try #require(try run.objects().first)
      #expect(report["psnr"] == nil, "\(run.output)")
      let picture = try await DecodedImage(contentsOf: URL(filePath: files[2])).bitmap
      #expect([picture[3, 2], picture[2, 3]].map(\.red) == [255, 0])
    }
  }

  @Test func `images that cannot be read or have different shapes have status 2`() async throws {
    try await withPhotos { rocket, _, folder in
      let cache = ["--cache-dir", folder.path() + "/c"]
      let missing = try await CommandRun(["compare", rocket, folder.path() + "/none.png"] + cache)
      #expect(missing.status == 2)
      let square = folder.path() + "/square.png"
      #expect(
        try await CommandRun(
          "convert", rocket, "-o", folder.path(), "--name", "square.png", "--format", "png", "--size", "50x50",
          "--resize", "exact"
        ).status == 0)
      let shapes = try await CommandRun(["compare", rocket, square, "--resize"] + cache)
      #expect(shapes.status == 2)
      #expect(shapes.errors.contains("different shapes"))
      for option in [
        ["--threshold", "2"], ["--gain", "0"], ["--gain", "256"], ["-o", "a.heic"], ["-o", "a"], ["-o", ""],
        ["-o", "-"], ["-o", "/"],
      ] {
        let usage = try await CommandRun(["compare", rocket, rocket] + option + cache)
        #expect(usage.status == 64, "\(option)")
        #expect(!usage.errors.contains(", or -"), "\(usage.errors)")
        #expect(!usage.errors.contains("a folder"), "\(usage.errors)")
      }
    }
  }

  /// The paths of a photo as a baseline and as a progressive JPEG.
  private func withPhotos(_ body: (String, String, URL) async throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      let files = ["rocket.jpg", "rocket_progressive.jpg"].map { folder.appending(path: $0) }
      for file in files { try Photos.data(file.lastPathComponent).write(to: file) }
      try await body(files[0].path(), files[1].path(), folder)
    }
  }
}
