import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct SheetCommandTests {
  @Test func `images are drawn in the order of their names, and what cannot be read is left out`() async throws {
    try await withFolders { sources, output in
      for (name, red) in [("b", 200), ("a", 100), ("in/c", 50)] as [(String, UInt8)] {
        let bitmap = try Bitmap(size: PixelSize(width: 40, height: 20), isOpaque: true) { bytes in
          for index in bytes.indices { bytes[index] = index % 4 == 0 ? red : index % 4 == 3 ? 255 : 0 }
        }
        let file = sources.appending(path: "\(name).png")
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try await DecodedImage(bitmap: bitmap).write(to: file)
      }
      try Data("text".utf8).write(to: sources.appending(path: "notes.txt"))
      let result = output.appending(path: "sheet.png")
      let arguments = [
        "sheet", sources.path(), "-r", "-o", result.path(), "--size", "20", "--gap", "4", "--columns", "2",
      ]
      let run = try await CommandRun(arguments)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output == "Drew 3 images in 52x32 pixels: \(result.path())\n")
      let sheet = try await DecodedImage(contentsOf: result).bitmap
      #expect(
        [sheet[14, 9], sheet[38, 9], sheet[14, 23], sheet[38, 23], sheet[1, 1]].map(\.red) == [100, 200, 50, 24, 24])
      #expect(try await CommandRun(arguments).errors.contains("exists"))
      // As many columns as rows, or one more.
      let two = ["a.png", "b.png"].map { sources.path() + $0 } + ["-o", output.path() + "two.png"]
      #expect(try await CommandRun(["sheet", "--size", "20", "--gap", "4"] + two).output.contains(" in 52x18 pixels"))
      let limited = try await CommandRun(arguments + ["--overwrite", "--max-pixels", "9"])
      #expect(limited.status == 1, "\(limited.output)")
      #expect(limited.errors.contains("--max-pixels"), "\(limited.errors)")
      try Photos.data("rocket.jpg").prefix(1000).write(to: sources.appending(path: "d.jpg"))
      let partly = try await CommandRun(arguments + ["--overwrite"])
      #expect(partly.status == 1, "\(partly.output)")
      #expect(partly.output.contains("Drew 3 images"), "\(partly.output)")
      #expect(partly.errors.contains("d.jpg: "), "\(partly.errors)")
    }
  }

  @Test func `wrong arguments print the usage, and no images are an error`() async throws {
    try await withFolders { sources, output in
      let file = output.path() + "a.png"
      for arguments in [
        ["-o", "-"], ["-o", "a.heic"], ["-o", "a"], ["-o", ""], ["-o", output.path()], ["-o", file, "--size", "50%"],
        ["-o", file, "--columns", "0"], ["-o", file, "--gap", "-1"],
      ] {
        let run = try await CommandRun(["sheet", sources.path()] + arguments)
        #expect(run.status == 64, "\(arguments)")
        #expect(!run.errors.contains("folder"), "\(run.errors)")
      }
      let run = try await CommandRun("sheet", sources.path(), "-o", file)
      #expect(run.status == 1)
      #expect(run.errors.contains("There are no images to draw."))
    }
  }
}
