import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.integrationTest)
struct ConvertAnimationTests {
  @Test(arguments: ["gif", "webp", "avif"])
  func `an animation stays animated, with its durations and loops`(format: String) async throws {
    try await withFolders { sources, output in
      let frames = try [200, 10, 90].map { (red: UInt8) in
        let bitmap = try Bitmap(size: PixelSize(width: 40, height: 30), isOpaque: true) { bytes in
          for index in bytes.indices { bytes[index] = index % 4 == 0 ? red : index % 4 == 3 ? 255 : 0 }
        }
        return AnimationFrame(bitmap: bitmap, duration: .milliseconds(Int(red) * 10))
      }
      try StandardCodecs.gif(frames, loopCount: 3).write(to: sources.appending(path: "a.gif"))
      let result = output.appending(path: "a.\(format)")
      let run = try await CommandRun(
        "convert", sources.path() + "a.gif", "-o", result.path(), "--size", "20x", "--quality", "95", "--json")
      #expect(run.status == 0, "\(run.errors)")
      let report = try #require(try run.objects().first)
      #expect(report["frames"] as? Int == 3 && report["outputFrames"] as? Int == 3)
      #expect(!run.output.contains("only the first frame"))
      let animation = try #require(try await DecodedImage(contentsOf: result).animation)
      #expect(animation.frameCount == 3)
      #expect(animation.loopCount == 3)
      var (reds, durations): ([Int], [Duration]) = ([], [])
      for try await frame in animation.frames {
        #expect(frame.bitmap.size == PixelSize(width: 20, height: 15))
        reds.append(Int(frame.bitmap[10, 7].red))
        durations.append(frame.duration)
      }
      #expect(durations == frames.map(\.duration))
      #expect(zip(reds, [200, 10, 90]).allSatisfy { abs($0 - $1) < 8 }, "\(reds)")
    }
  }

  @Test(
    arguments: ["gif", "webp"],
    [
      [], ["--rotate", "90"], ["--size", "3x3", "--resize", "exact"], ["--trim"], ["--hdr", "keep"],
      ["--process", "bl:1"],
    ])
  func `a cut animation fails, or has the frames that are there with partial`(
    format: String, options: [String]
  ) async throws {
    try await withFolders { sources, output in
      var file = TinyGIF.animation(reds: [200, 10, 90])
      if format == "webp" { file = try await DecodedImage(data: file).encoded(as: .webp) }
      try file.prefix(file.count - 15).write(to: sources.appending(path: "a." + format))
      let arguments =
        ["convert", sources.path() + "a." + format, "-o", output.path() + "b.webp", "--json"] + options
      #expect(try await CommandRun(arguments).status == 1)
      let run = try await CommandRun(arguments + ["--partial"])
      #expect(run.status == 0, "\(run.errors)")
      let report = try #require(try run.objects().first)
      #expect(report["partial"] as? Bool == true && report["outputFrames"] as? Int == 2)
    }
  }

  @Test func `all frames together have a limit, and the first one alone has not`() async throws {
    try await withFolders { sources, output in
      let file = TinyGIF.animation(reds: [200, 10, 90])
      let pixels = try await DecodedImage(data: file).info.pixelSize.pixelCount
      try file.write(to: sources.appending(path: "a.gif"))
      let arguments = ["convert", sources.path() + "a.gif", "-o", output.path(), "--overwrite"]
      let refused = try await CommandRun(arguments + ["--max-animation-pixels", "\(3 * pixels - 1)"])
      #expect(refused.status == 1)
      #expect(refused.errors.contains("3 frames"))
      #expect(refused.errors.contains("--max-animation-pixels"))
      #expect(try await CommandRun(arguments + ["--max-animation-pixels", "\(3 * pixels)"]).status == 0)
      #expect(try await CommandRun(arguments + ["--max-animation-pixels", "1", "--format", "png"]).status == 0)
      #expect(try await CommandRun(arguments + ["--max-animation-pixels", "0"]).status == 64)
    }
  }
}
