import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

/// The everyday options of `halcyon convert`.
@Suite(.integrationTest)
struct ConvertOptionTests {
  @Test(
    arguments: [
      (["--size", "50%"], 320, 214), (["--size", "64"], 64, 43), (["--size", "1000"], 640, 427),
      (["--size", "200%"], 640, 427), (["--size", "200%", "--resize", "exact"], 1280, 854),
      (["--size", "x100"], 150, 100), (["--size", "100x100", "--resize", "exact"], 100, 100),
      (["--size", "900x900", "--resize", "fill"], 427, 427),
    ] as [([String], Int, Int)])
  func `a size may be a share of the image, or one or both of its sides`(
    size: [String], width: Int, height: Int
  ) async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let run = try await CommandRun(["convert", sources.path(), "-o", output.path(), "--json"] + size)
      let report = try #require(try run.objects().first)
      #expect(report["width"] as? Int == width && report["height"] as? Int == height)
    }
  }

  @Test func `a source that cannot be written becomes PNG, and a drawing gets larger`() async throws {
    try await withFolders { sources, output in
      // Two rows of two black pixels.
      let header: [UInt8] = [70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0]
      let bitmap = Data("BM".utf8) + Data(header) + Data(count: 40)
      try bitmap.write(to: sources.appending(path: "a.bmp"))
      let drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><circle r='8'/></svg>"
      try Data(drawing.utf8).write(to: sources.appending(path: "b.svg"))
      let run = try await CommandRun("convert", sources.path(), "-o", output.path(), "--size", "80x", "--json")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(try names(in: output) == ["a.png", "b.png"])
      let widths = try run.objects().map { $0["width"] as? Int ?? 0 }
      #expect(widths.sorted() == [2, 80])
    }
  }

  @Test func `a photograph that cannot be written becomes JPEG, and PNG if it is transparent`() async throws {
    try await withFolders { sources, output in
      let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../Tests/HalcyonCodecsTests/Fixtures/heif").standardized
      for name in ["photo.heic", "gradient-alpha.heic"] {
        try FileManager.default.copyItem(at: fixtures.appending(path: name), to: sources.appending(path: name))
      }
      let run = try await CommandRun("convert", sources.path(), "-o", output.path(), "--size", "40")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try names(in: output) == ["gradient-alpha.png", "photo.jpg"])
    }
  }

  @Test func `the quality is 80 by default, and that of process comes first`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let arguments = ["convert", sources.path(), "-o", output.path(), "--format", "webp", "--overwrite", "--json"]
      var counts: [Int] = []
      for options in [[], ["--quality", "80"], ["--quality", "5"], ["--quality", "80", "--process", "q:5"]] {
        let report = try #require(try await CommandRun(arguments + options).objects().first)
        counts.append(try #require(report["outputBytes"] as? Int))
      }
      #expect(counts[0] == counts[1])
      #expect(counts[2] < counts[1] / 2)
      #expect(counts[3] == counts[2])
    }
  }

  @Test func `a result has at most as many bytes as are allowed`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      try TinyGIF.animation(reds: [200, 10, 90]).write(to: sources.appending(path: "b.gif"))
      let arguments = ["convert", sources.path(), "-o", output.path(), "--overwrite", "--format", "webp", "--quiet"]
      let run = try await CommandRun(arguments + ["--max-output", "10K"])
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.output.isEmpty, "\(run.output)\(run.errors)")
      #expect(run.errors.isEmpty, "\(run.output)\(run.errors)")
      let bytes = try Data(contentsOf: output.appending(path: "a.webp")).count
      #expect(bytes <= 10 << 10)
      #expect(bytes > 5 << 10)
      let both = try await CommandRun(arguments + ["--max-output", "10K", "--process", "mb:20000"])
      #expect(both.status == 0, "\(both.errors)")
      #expect(try Data(contentsOf: output.appending(path: "a.webp")).count == bytes)
      let refused = try await CommandRun(arguments + ["--max-output", "100"])
      #expect(refused.status == 1, "\(refused.errors)")
      #expect(refused.errors.contains("over the limit of 100"), "\(refused.errors)")
    }
  }

  @Test(arguments: ["webp", "png", "jxl"], [[], ["--rotate", "90", "--size", "100x"]])
  func `lossless results have the pixels of the source, or of the changed picture`(
    format: String, change: [String]
  ) async throws {
    try await withFolders { sources, output in
      try writePhoto("chelsea.png", to: sources, as: ["a.png"])
      let results = [output.appending(path: "b.png"), output.appending(path: "a.\(format)")]
      for result in results {
        let run = try await CommandRun(
          ["convert", sources.path() + "a.png", "-o", result.path(), "--lossless"] + change)
        #expect(run.status == 0, "\(run.errors)")
      }
      let files = results + (change.isEmpty ? [sources.appending(path: "a.png")] : [])
      let pixels = try files.map { try DecodedImage(contentsOf: $0).bitmap.withUnsafeBytes { Data($0) } }
      #expect(Set(pixels).count == 1)
    }
  }

  @Test func `a gain map is kept where that is asked for, and info names it`() async throws {
    try await withFolders { sources, output in
      let size = PixelSize(width: 80, height: 60)
      let bright = try Bitmap(size: size, isOpaque: true, dynamicRange: .high) { bytes in
        for offset in stride(from: 0, to: bytes.count, by: 2) {
          let isOne = offset % 8 == 6 || offset / 8 % 80 < 40
          bytes.storeBytes(of: isOne ? 0x3C00 : 0x4400, toByteOffset: offset, as: UInt16.self)
        }
      }
      let (photo, result) = (sources.appending(path: "a.jpg"), output.appending(path: "b.jpg"))
      try await DecodedImage(bitmap: bright).encoded(as: .jpeg).write(to: photo)
      for (arguments, report) in [
        ([], "standard"), (["--hdr", "standard"], "standard"), (["--hdr", "keep"], "gain map"),
        (["--hdr", "keep", "--rotate", "90"], "gain map"), (["--hdr", "keep", "--process", "bl:2"], "standard"),
      ] as [([String], String)] {
        let run = try await CommandRun(
          ["convert", photo.path(), "-o", result.path(), "--overwrite", "--size", "40"] + arguments)
        #expect(run.status == 0, "\(run.errors)")
        let info = try #require(try await CommandRun("info", result.path(), "--json").objects().first)
        #expect(info["dynamicRange"] as? String == report, "\(arguments)")
        #expect((info["headroom"] as? Double).map { (1.8...2.1).contains($0) } == (report == "gain map" ? true : nil))
        let isLost = arguments.contains("keep") && report == "standard"
        #expect(run.output.contains("1 without its range") == isLost, "\(arguments): \(run.output)")
      }
      #expect(try await CommandRun("info", photo.path()).output.contains("gain map of 2.0 stops"))
    }
  }

  @Test func `lossless JPEG is an error`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "b.jpg"])
      let run = try await CommandRun("convert", sources.path(), "-o", output.path(), "--lossless")
      #expect(run.status == 1, "\(run.errors)")
      #expect(run.errors.contains("Use --format webp"), "\(run.errors)")
      #expect(run.errors.contains("1 more file failed for the same reason"))
    }
  }

  @Test func `results have the dates of their sources on request`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let date = Date(timeIntervalSince1970: 1_000_000_000)
      let source = sources.appending(path: "a.jpg")
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: source.path())
      for (options, isKept) in [([], false), (["--keep-dates"], true), (["--keep-dates", "--overwrite"], true)] {
        let run = try await CommandRun(
          ["convert", source.path(), "-o", output.path(), "--size", "9x", "--name", isKept ? "k.{ext}" : "n.{ext}"]
            + options)
        #expect(run.status == 0, "\(run.errors)")
        let result = output.appending(path: isKept ? "k.jpg" : "n.jpg")
        let attributes = try FileManager.default.attributesOfItem(atPath: result.path())
        #expect((attributes[.modificationDate] as? Date == date) == isKept)
      }
      let file = output.path() + "file.jpg"
      let run = try await CommandRun("convert", source.path(), "-o", file, "--size", "9x", "--keep-dates")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date == date)
    }
  }

  @Test(arguments: [["--strip"], ["--metadata", "strip"]])
  func `metadata is removed without encoding again where nothing else is asked`(option: [String]) async throws {
    try await withFolders { sources, output in
      let photo = try Photos.data("rocket.jpg")
      // A comment of 5 bytes after the start of the image.
      let file = photo.prefix(2) + Data([0xFF, 0xFE, 0, 7]) + Data("hello".utf8) + photo.dropFirst(2)
      try file.write(to: sources.appending(path: "a.jpg"))
      try file.prefix(9000).write(to: sources.appending(path: "cut.jpg"))
      let arguments = ["convert", sources.path(), "-o", output.path(), "--overwrite"] + option
      let run = try await CommandRun(arguments)
      #expect(run.status == 1, "\(run.errors)")
      #expect(run.errors.contains("cut.jpg"), "\(run.errors)")
      #expect(run.output.contains("; 1 not encoded again; 1 failed."), "\(run.output)")
      let stripped = try Data(contentsOf: output.appending(path: "a.jpg"))
      #expect(try stripped == ImageMetadata.removed(from: file))
      #expect(stripped.firstRange(of: Data("hello".utf8)) == nil)
      for other in [
        ["--size", "50%"], ["--quality", "80"], ["--color-space", "srgb"], ["--trim"], ["--max-output", "40K"],
        ["--crop", "9x9"], ["--colors", "9"], ["--effort", "3"], ["--hdr", "keep"], ["--process", "bl:1"],
      ] {
        let reports = try await CommandRun(arguments + other + ["--json"]).objects()
        #expect(reports.contains { $0["encoded"] as? Bool == true }, "\(other)")
      }
      let partial = try await CommandRun(arguments + ["--partial", "--json"]).objects()
      #expect(partial.compactMap { $0["encoded"] as? Bool }.sorted { !$0 && $1 } == [false, true])
    }
  }

  @Test func `a dry run says what it would write, and writes nothing`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "b.jpg"])
      let folder = output.path() + "new"
      let arguments = ["convert", sources.path(), "-o", folder, "--size", "64", "--format", "webp", "--dry-run"]
      let run = try await CommandRun(arguments)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("-> \(folder)/a.webp: jpeg 640x427 -> webp 64x43,"), "\(run.output)")
      #expect(run.output.hasSuffix("Would convert 2 files.\n"))
      #expect(!FileManager.default.fileExists(atPath: folder))
      let quiet = try await CommandRun(arguments + ["--quiet"])
      #expect(!quiet.output.contains("->"), "\(quiet.output)")
      try writePhoto("rocket.jpg", to: output, as: ["new/a.webp"])
      #expect(try await CommandRun(arguments).output.hasSuffix("; would leave 1 that exists.\n"))
    }
  }

  @Test func `names have the number and the day of an image`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["b.jpg", "a.jpg", "in/c.jpg", "in/d/e.jpg", "z.jpg"])
      try Data("text".utf8).write(to: sources.appending(path: "aa.txt"))
      let dated = try await DecodedImage(contentsOf: sources.appending(path: "a.jpg"))
      var metadata = ImageMetadata(info: dated.info)
      metadata.captureDate = DateComponents(year: 2024, month: 5, day: 1, hour: 10, minute: 20, second: 30)
      try await dated.write(to: sources.appending(path: "a.jpg"), metadata: metadata)
      for name in ["b.jpg", "in/c.jpg", "in/d/e.jpg", "z.jpg"] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: sources.path() + name)
      }
      let run = try await CommandRun(
        "convert", sources.path(), "-r", "-o", output.path(), "--size", "9x", "--name", "{date}-{nn}-{n}.{ext}")
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        try names(in: output) == [
          "2001-09-09-02-2.jpg", "2001-09-09-03-3.jpg", "2024-05-01-01-1.jpg", "in/2001-09-09-04-4.jpg",
          "in/d/2001-09-09-05-5.jpg",
        ])
    }
  }

  @Test func `a list names the sources, also with line breaks in names, and keeps their folders`() async throws {
    try await withFolders { sources, output in
      let root = String(sources.path().dropFirst())
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "b\nc.jpg", "[d].jpg", "in/e.jpg"])
      let list = output.appending(path: "list")
      let paths = ["a.jpg", "", "[d].jpg", "in", "missing.jpg"].map { $0.isEmpty ? "" : sources.path() + $0 }
      try Data(paths.joined(separator: "\r\n").utf8).write(to: list)
      let arguments = ["convert", "-o", output.path() + "out", "--size", "9x"]
      let run = try await CommandRun(arguments + ["--files-from", list.path()])
      #expect(run.status == 1, "\(run.errors)")
      #expect(run.errors.contains("missing.jpg cannot be read"), "\(run.errors)")
      #expect(try names(in: output.appending(path: "out")) == ["[d].jpg", "a.jpg", "in/e.jpg"].map { root + $0 })
      let script = """
        printf '%s\\0%s' '\(sources.path())b
        c.jpg' '\(sources.path())a.jpg' | "$0" "$@" --files-from - -0
        """
      let piped = try await CommandRun(
        URL(filePath: "/bin/sh"), ["-c", script, try CommandRun.program().path()] + arguments)
      #expect(piped.output.contains("left 1 that exists"), "\(piped.output)\(piped.errors)")
      #expect(try names(in: output.appending(path: "out")).contains(root + "b\nc.jpg"))
      let script2 =
        "cd '\(sources.path())' && printf './in/e.jpg' | \"$0\" convert --files-from - -o '\(output.path())rel' --size 9x"
      let relative = try await CommandRun(
        URL(filePath: "/bin/sh"), ["-c", script2, try CommandRun.program().path()])
      #expect(try names(in: output.appending(path: "rel")) == ["in/e.jpg"], "\(relative.errors)")
    }
  }

  @Test func `a mistake in a source or an option is not blamed on the output`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      try FileManager.default.createSymbolicLink(
        atPath: sources.path() + "link.jpg", withDestinationPath: sources.path() + "gone.jpg")
      let result = output.path() + "x.webp"
      for (arguments, message, status) in [
        ([], "Name a file, a folder", 64), (["a.jpg", "--logo", "logo.png"], "Unknown option '--logo'", 64),
        (["a.jpg", "--spin", "90"], "Unknown option '--spin'", 64),
        (["missing.jpg"], "missing.jpg cannot be read", 1), (["link.jpg"], "link.jpg cannot be read", 1),
        (["a.jpg", "missing.jpg"], "missing.jpg cannot be read", 64),
        (["https://example.com/a.jpg"], "is a URL", 64), (["a.jpg", "a.jpg"], "Only one file fits into", 64),
      ] as [([String], String, Int32)] {
        let sources = arguments.map { $0.hasSuffix(".jpg") && !$0.contains(":") ? sources.path() + $0 : $0 }
        let run = try await CommandRun(["convert"] + sources + ["-o", result])
        #expect(run.status == status, "\(arguments): \(run.errors)")
        #expect(run.errors.contains(message), "\(arguments): \(run.errors)")
        #expect(status == 64 || !run.errors.contains("Usage"))
      }
      let get = try await CommandRun("get", sources.path() + "a.jpg", "--format", "webp", "-o", result)
      #expect(get.status == 64, "\(get.errors)")
      #expect(get.errors.contains("Unknown option '--format'"), "\(get.errors)")
    }
  }

  @Test func `limits are one message for many files, and links to missing files are counted`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "b.jpg", "c.jpg"])
      // Hidden links are no sources.
      for link in ["d.jpg", ".e.jpg"] {
        try FileManager.default.createSymbolicLink(
          atPath: sources.path() + link, withDestinationPath: sources.path() + "gone.jpg")
      }
      // With progressive, pixels are not decoded.
      for options in [["--max-pixels"], ["--max-side"], ["--max-bytes"], ["--progressive", "--max-pixels"]] {
        let run = try await CommandRun(["convert", sources.path(), "-o", output.path()] + options + ["9"])
        #expect(run.errors.split(separator: "\n").count == 2, "\(run.errors)")
        #expect(run.output.hasSuffix("; skipped 1 link to a missing file; 3 failed.\n"), "\(run.output)")
      }
      let (file, byteCount) = (sources.path() + "a.jpg", try Photos.data("rocket.jpg").count)
      for (limit, status) in [(byteCount, 0), (byteCount - 1, 1)] as [(Int, Int32)] {
        let run = try await CommandRun(
          "convert", file, "-o", output.path(), "--size", "9", "--overwrite", "--max-bytes", "\(limit)")
        #expect(run.status == status, "\(run.errors)")
      }
    }
  }

  @Test func `a full disk ends the run, and other errors do not`() {
    for (code, ends) in [(ENOSPC, true), (EDQUOT, true), (EROFS, true), (EACCES, false), (ENAMETOOLONG, false)] {
      let error = OutputError.unwritable(path: "/a", code: code)
      #expect(error.endsRun == ends)
      let isFull = [ENOSPC, EDQUOT].contains(code)
      #expect(error.description.contains(isFull ? "Make space" : "permissions"), "\(error)")
    }
    #expect(!OutputError.exists("/a").endsRun)
  }

  @Test(arguments: [(ENOSPC, 1), (EACCES, 3)])
  func `after a full disk no other file is taken`(code: Int32, count: Int) async throws {
    try await withFolders { sources, _ async throws in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "b.jpg", "c.jpg"])
      let taken = EventLog<String>()
      let files = SourceFiles([sources.path()], isRecursive: false, excluding: nil)
      let run = FileRun<Int>(files) { file, _, _ in
        taken.record(file.path)
        throw OutputError.unwritable(path: "/a", code: code)
      } report: { _ in
      }
      try await run.run(width: 1)
      #expect(taken.events.count == count)
    }
  }
}
