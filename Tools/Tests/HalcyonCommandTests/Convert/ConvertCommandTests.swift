import Foundation
import Halcyon
import HalcyonCodecs
import TestSupport
import TestTraits
import Testing

@testable import HalcyonCommand

@Suite(.integrationTest)
struct ConvertCommandTests {
  @Test func `a folder is converted with its folders, and other files are skipped`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg", "in/b.jpg", "in/deep/c.jpg", ".hidden/d.jpg"])
      try Data("text".utf8).write(to: sources.appending(path: "in/notes.txt"))
      let arguments = [
        "convert", sources.path(), "-o", output.path(), "--size", "100x100", "--format", "webp", "--json",
      ]
      let flat = try await CommandRun(arguments)
      #expect(flat.status == 0, "\(flat.errors)")
      #expect(try names(in: output) == ["a.webp"])
      let all = try await CommandRun(arguments + ["--recursive"])
      #expect(all.status == 0, "\(all.errors)")
      #expect(try names(in: output) == ["a.webp", "in/b.webp", "in/deep/c.webp"])
      let reports = try all.objects()
      #expect(reports.count == 3)
      #expect(reports.filter { $0["exists"] is String }.count == 1)
      for report in reports where report["exists"] == nil {
        #expect(report["format"] as? String == "webp")
        #expect(report["width"] as? Int == 100)
        #expect(report["height"] as? Int == 67)
      }
    }
  }

  @Test func `an existing file is replaced only with overwrite`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      let existing = output.appending(path: "a.jpg")
      try Data("mine".utf8).write(to: existing)
      let arguments = ["convert", sources.path() + "/a.jpg", "-o", output.path(), "--size", "50x"]
      let kept = try await CommandRun(arguments)
      #expect(kept.status == 0)
      #expect(kept.output == "Converted 0 files; left 1 that exists.\n")
      #expect(try Data(contentsOf: existing) == Data("mine".utf8))
      let replaced = try await CommandRun(arguments + ["--overwrite"])
      #expect(replaced.status == 0)
      #expect(try Data(contentsOf: existing).starts(with: [0xFF, 0xD8]))
      #expect(try names(in: output) == ["a.jpg"])
    }
  }

  @Test func `a damaged file is reported, and the others are converted`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg", "c.jpg"])
      try (try Photos.data("rocket.jpg")).prefix(2000).write(to: sources.appending(path: "b.jpg"))
      let run = try await CommandRun("convert", sources.path(), "-o", output.path(), "--size", "50x")
      #expect(run.status == 1)
      #expect(run.errors.contains("\(sources.path())b.jpg: ") || run.errors.contains("b.jpg"))
      #expect(run.output.contains("1 failed."))
      #expect(try names(in: output) == ["a.jpg", "c.jpg"])
    }
  }

  @Test func `a cut file is converted as far as it goes on request`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      let whole = try Photos.data("rocket.jpg")
      try whole.prefix(whole.count / 2).write(to: sources.appending(path: "b.jpg"))
      let run = try await CommandRun("convert", sources.path(), "-o", output.path(), "--partial", "--json")
      #expect(run.status == 0, "\(run.errors)")
      let reports = try run.objects()
      #expect(reports.count == 2)
      for report in reports {
        #expect(report["partial"] as? Bool == (report["source"] as? String)?.hasSuffix("b.jpg"))
      }
      #expect(try names(in: output) == ["a.jpg", "b.jpg"])
      let again = try await CommandRun("convert", sources.path(), "-o", output.path(), "--partial", "--overwrite")
      #expect(again.output.contains("1 only partly, as the source is cut or damaged"))
    }
  }

  @Test func `two sources with one output are an error, and neither replaces the other`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      try write("chelsea.png", to: sources, as: ["a.png"])
      let arguments = ["convert", sources.path(), "-o", output.path(), "--format", "webp", "--overwrite"]
      let run = try await CommandRun(arguments)
      #expect(run.status == 1)
      #expect(run.errors.contains("is also the output of another file"))
      let apart = try await CommandRun(arguments + ["--name", "{name}-{source-ext}-{width}x{height}.{ext}"])
      #expect(apart.status == 0, "\(apart.errors)")
      #expect(try names(in: output) == ["a-jpg-640x427.webp", "a-png-451x300.webp", "a.webp"])
    }
  }

  @Test func `the same mistake in many files is one message, and with verbose all of them`() async throws {
    try await withFolders { sources, output in
      for name in ["a", "b", "c", "d"] {
        try write("rocket.jpg", to: sources, as: [name + ".jpg"])
        try write("chelsea.png", to: sources, as: [name + ".png"])
      }
      let arguments = [
        "convert", sources.path(), "-o", output.path(), "--format", "webp", "--size", "9x", "--overwrite", "--name",
        "x.{ext}",
      ]
      let run = try await CommandRun(arguments)
      #expect(run.status == 1 && run.output.contains("7 failed."), "\(run.output)")
      let lines = run.errors.split(separator: "\n")
      #expect(lines.count == 2, "\(run.errors)")
      #expect(lines.last?.hasPrefix("Error: 6 more files failed for the same reason as ") == true)
      let all = try await CommandRun(arguments + ["--verbose"])
      #expect(all.errors.split(separator: "\n").count == 7, "\(all.errors)")
    }
  }

  @Test func `the last line tells where one file is, and what animations have lost`() async throws {
    try await withFolders { sources, output in
      try TinyGIF.animation(reds: [200, 10]).write(to: sources.appending(path: "a.gif"))
      let run = try await CommandRun("convert", sources.path() + "a.gif", "-o", output.path() + "name")
      #expect(run.output.contains(": \(output.path())name/a.gif."), "\(run.output)")
      try TinyGIF.animation(reds: [200, 10]).write(to: sources.appending(path: "b.gif"))
      let both = try await CommandRun("convert", sources.path(), "-o", output.path(), "--format", "png")
      #expect(both.output.contains("of 2 animations only the first frame."), "\(both.output)")
    }
  }

  @Test func `an unknown extension of the output for one file is an error, unless it is a folder`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      let arguments = ["convert", sources.path() + "a.jpg", "--size", "9x", "-o", output.path() + "a.wepb"]
      let run = try await CommandRun(arguments)
      #expect(run.status == 64 && run.errors.contains("Cannot write “.wepb” files"), "\(run.errors)")
      #expect(try names(in: output) == [])
      #expect(try await CommandRun(arguments.dropLast() + [arguments[5] + "/"]).status == 0)
      #expect(try await CommandRun(arguments).output.contains("left 1 that exists"))
    }
  }

  @Test func `the hint for equal outputs tells all files apart`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg", "one/a.jpg", "two/a.jpg"])
      try write("chelsea.png", to: sources, as: ["a.png", "{name}/a.png"])
      let paths =
        ["", "one/", "two/"].map { sources.path() + $0 + "a.jpg" } + [sources.path(), sources.path() + "{name}"]
      let arguments = ["convert"] + paths + ["-o", output.path(), "--format", "webp", "--size", "9x", "--overwrite"]
      let run = try await CommandRun(arguments)
      #expect(run.status == 1)
      let hint = try #require(run.errors.split(separator: "'").first { $0.contains("{") })
      let apart = try await CommandRun(arguments + ["--name", String(hint)])
      #expect(apart.status == 0, "\(apart.errors)")
      let written = try names(in: output).filter { $0 != "a.webp" }
      #expect(written.count == 5, "\(written)")
      let folder = String(sources.path().dropFirst())
      #expect(
        Set(written) == Set(["a-jpg", "a-png", "one/a-jpg", "two/a-jpg", "{name}/a-png"].map { folder + $0 + ".webp" }))
    }
  }

  @Test func `a file that is named twice is converted once`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      let run = try await CommandRun(
        "convert", sources.path() + "a.jpg", sources.path() + "./a.jpg", "-o", output.path(), "--size", "9x")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("Converted 1 file ") && run.output.contains("left 1 that exists"))
    }
  }

  @Test func `results have the colour space that is asked for`() async throws {
    try await withFolders { sources, output in
      let wide = try Bitmap(size: PixelSize(width: 8, height: 8), isOpaque: true, colorSpace: .displayP3) { pixels in
        for index in pixels.indices { pixels[index] = index % 4 == 0 || index % 4 == 3 ? 255 : 0 }
      }
      let source = sources.appending(path: "wide.png")
      try await DecodedImage(bitmap: wide).write(to: source)
      for (space, isWide) in [(nil, false), ("srgb", false), ("p3", true), ("source", true)] {
        let file = output.appending(path: "\(space ?? "default").png")
        let options = space.map { ["--color-space", $0] } ?? []
        let run = try await CommandRun(["convert", source.path(), "-o", file.path()] + options)
        #expect(run.status == 0, "\(run.errors)")
        let image = try await DecodedImage(contentsOf: file, colorSpace: .source)
        #expect(image.bitmap.colorSpace == (isWide ? .displayP3 : .sRGB))
        let pixel = image.bitmap[4, 4]
        #expect(pixel.red == 255 && pixel.green == 0 && pixel.blue == 0)
      }
      let info = try await CommandRun("info", source.path(), "--json")
      let report = try info.objects().first
      #expect(report?["gamut"] as? String == "wide" && report?["transfer"] as? String == "SDR")
      #expect(try await CommandRun("info", source.path()).output.contains("wide gamut"))
      #expect(try await CommandRun("convert", source.path(), "-o", "x.png", "--color-space", "cmyk").status == 64)
    }
  }

  @Test func `one file is converted into the file that the output names, in the format of its extension`() async throws
  {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg", "b.jpg"])
      let file = output.path() + "in/out.webp"
      let arguments = ["convert", sources.path() + "a.jpg", "-o", file]
      #expect(try await CommandRun(arguments).status == 0)
      #expect(try names(in: output) == ["in/out.webp"])
      #expect(try Data(contentsOf: URL(filePath: file)).prefix(12).suffix(4) == Data("WEBP".utf8))
      let again = try await CommandRun(arguments)
      #expect(again.status == 1 && again.errors.contains("\(file) exists. Replace it with --overwrite"))
      #expect(try await CommandRun(arguments + ["--overwrite"]).status == 0)
      for wrong in [
        [sources.path() + "b.jpg"], ["--format", "png"], ["--name", "{name}-x.{ext}"],
        ["--metadata", "keep", "-o", "a.gif"],
        ["-o", "a.heic"],
      ] {
        #expect(try await CommandRun(arguments + wrong).status == 64, "\(wrong)")
      }
      #expect(try await CommandRun("convert", sources.path(), "-o", file).status == 64)
      let folder = try await CommandRun("convert", sources.path(), "-o", output.path() + "out.webp/", "--size", "9x")
      #expect(folder.status == 0, "\(folder.errors)")
      #expect(try names(in: output) == ["in/out.webp", "out.webp/a.jpg", "out.webp/b.jpg"])
    }
  }

  @Test func `a minus is standard input or standard output`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      let convert = "'\(try CommandRun.program().path())' convert"
      let script = """
        set -e; cd '\(output.path())'; a='\(sources.path())a.jpg'
        cat "$a" | \(convert) - -o . --size 9x
        cat "$a" | \(convert) - -o file.png --size 9x
        \(convert) - -o - --format webp --size 9x -v < "$a" > through.webp
        """
      let run = try await CommandRun(URL(filePath: "/bin/sh"), ["-c", script])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("Converted 1 file"))
      #expect(try names(in: output) == ["file.png", "image.jpg", "through.webp"])
      let info = try await CommandRun("info", output.path() + "through.webp", "--cache-dir", output.path() + "c")
      #expect(info.output.contains("webp 9x6"), "\(info.output)")
    }
  }

  @Test func `a pipe and an empty argument are errors, and nothing waits`() async throws {
    try await withFolders { sources, output in
      let pipe = sources.path() + "pipe.jpg"
      try #require(mkfifo(pipe, 0o600) == 0)
      let run = try await CommandRun("convert", pipe, "", sources.path(), "-o", output.path())
      #expect(run.status == 1)
      #expect(run.errors.contains("Error: \(pipe) is a pipe, not a file."))
      #expect(run.errors.contains("Error: An argument is empty."))
      #expect(run.output == "Converted 0 files; 2 failed.\n")
    }
  }

  @Test func `names of files are shown without control characters`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a\u{1B}[2J\n\u{202E}.jpg"])
      try Data("text".utf8).write(to: sources.appending(path: "b\u{9B}\n.jpg"))
      for option in ["--verbose", "--json"] {
        let run = try await CommandRun(
          "convert", sources.path(), sources.path() + "b\u{9B}\n.jpg", "-o", output.path(), "--size", "9x", option)
        #expect(run.status == 1)
        for text in [run.output, run.errors] {
          #expect(!text.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) }, "\(text)")
        }
        #expect(run.output.split(separator: "\n").count == 2, "\(run.output)")
      }
      #expect(try names(in: output) == ["a\u{1B}[2J\n\u{202E}.jpg"])
    }
  }

  @Test func `patterns match files at any depth, and keep folders from their first special character on`() async throws
  {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["2023/a.jpg", "2024/b.jpg", "2024/more/c.jpg", "other/d.jpg"])
      let pattern = sources.path() + "20*/**/*.jpg"
      let run = try await CommandRun("convert", pattern, "-o", output.path(), "--size", "50x")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try names(in: output) == ["2023/a.jpg", "2024/b.jpg", "2024/more/c.jpg"])
      let none = try await CommandRun("convert", sources.path() + "*.tiff", "-o", output.path())
      #expect(none.status == 1)
      #expect(none.errors.contains("*.tiff matches no file."))
    }
  }

  @Test func `the output folder inside a source is not searched`() async throws {
    try await withFolders { sources, _ in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      let output = sources.path() + "small"
      for _ in 1...2 {
        let run = try await CommandRun("convert", sources.path(), "-r", "-o", output, "--size", "50x")
        #expect(run.status == 0, "\(run.errors)")
      }
      #expect(try names(in: sources) == ["a.jpg", "small/a.jpg"])
    }
  }

  @Test(arguments: [
    ("fit", [100, 67]), ("fill", [100, 100]), ("exact", [100, 100]),
  ])
  func `the size is that of the library's target sizes`(resize: String, size: [Int]) async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      let run = try await CommandRun(
        "convert", sources.path(), "-o", output.path(), "--size", "100x100", "--resize", resize, "--json")
      let report = try #require(try run.objects().first)
      #expect([report["width"] as? Int, report["height"] as? Int] == size)
    }
  }

  @Test(arguments: [
    ["--quality", "101"], ["--resize", "fill", "--size", "10x"], ["--format", "tiff"], ["--jobs", "0"],
    ["--name", "{unknown}"], ["--name", "../{name}"], ["--format", "avif", "--metadata", "keep"], ["--memory", "0"],
    ["--colors", "1"], ["--colors", "257"],
  ])
  func `invalid arguments print the usage`(arguments: [String]) async throws {
    let run = try await CommandRun(["convert", "a.jpg", "-o", "out"] + arguments)
    #expect(run.status == 64)
    #expect(run.errors.contains("Usage: halcyon convert"))
  }

  @Test func `PNG has as many colours as are wanted, and files are shown in passes`() async throws {
    try await withFolders { sources, output in
      try write("rocket.jpg", to: sources, as: ["a.jpg"])
      for format in ["png", "jpeg"] {
        let run = try await CommandRun(
          "convert", sources.path(), "-o", output.path(), "--size", "80x", "--format", format, "--colors", "16",
          "--progressive")
        #expect(run.status == 0, "\(run.errors)")
        let file = try Data(contentsOf: output.appending(path: format == "png" ? "a.png" : "a.jpg"))
        #expect(try ImageMetadata(of: file).isProgressive)
        let bitmap = try await DecodedImage(data: file).bitmap
        let colorCount = bitmap.withUnsafeBytes { Set($0.bindMemory(to: UInt32.self)).count }
        #expect((colorCount <= 16) == (format == "png"))
      }
    }
  }

  @Test func `the metadata policy decides what the results say`() async throws {
    try await withFolders { sources, output in
      try photoWithArtist("Ann").write(to: sources.appending(path: "a.jpg"))
      for (policy, isKept) in [("strip", false), ("copyright", true), ("keep", true)] {
        let run = try await CommandRun(
          "convert", sources.path(), "-o", output.path(), "--metadata", policy, "--name", "\(policy).{ext}")
        #expect(run.status == 0, "\(run.errors)")
        let bytes = try Data(contentsOf: output.appending(path: "\(policy).jpg"))
        #expect((bytes.firstRange(of: Data("Ann\0".utf8)) != nil) == isKept, "\(policy)")
      }
    }
  }

  @Test func `with little memory images are converted one after another`() async throws {
    try await withFolders { sources, output in
      try write("retina.jpg", to: sources, as: (0..<6).map { "\($0).jpg" })
      let run = try await CommandRun(
        "convert", sources.path(), "-o", output.path(), "--memory", "1", "--jobs", "4", "--format", "png")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try names(in: output).count == 6)
    }
  }

  #if os(Linux)
  @Test func `a signal leaves whole files only, and the next run converts the others`() async throws {
    try await withFolders { sources, output in
      try write("retina.jpg", to: sources, as: (0..<200).map { "\($0).jpg" })
      let run = try TerminalRun("convert", sources.path(), "-o", output.path(), "--format", "png")
      try await run.waitForText("of 200")
      run.send(SIGINT)
      let end = try await run.end()
      #expect(end.status == 130)
      let written = try FileManager.default.contentsOfDirectory(atPath: output.path())
      #expect(written.count < 200 && written.allSatisfy { $0.hasSuffix(".png") }, "\(written)")
      for name in written {
        let bytes = try Data(contentsOf: output.appending(path: name))
        #expect(bytes.suffix(8).starts(with: "IEND".utf8))
      }
      let next = try await CommandRun("convert", sources.path(), "-o", output.path(), "--format", "png", "--size", "9x")
      #expect(next.status == 0)
      #expect(next.output.contains("Converted \(200 - written.count) files"))
    }
  }
  #endif
}

/// An empty folder for sources and one for the output.
func withFolders(_ body: (_ sources: URL, _ output: URL) async throws -> Void) async throws {
  try await TemporaryDirectory.run { folder in
    let folders = ["sources", "output"].map { folder.appending(path: $0, directoryHint: .isDirectory) }
    for folder in folders { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    try await body(folders[0], folders[1])
  }
}

/// Writes a bundled photo under some paths.
private func write(_ photo: String, to folder: URL, as paths: [String]) throws {
  let data = try Photos.data(photo)
  for path in paths {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }
}

/// A photo with Exif data that has an artist of three letters.
private func photoWithArtist(_ name: String) throws -> Data {
  // A little-endian TIFF header, and a directory of one ASCII field with its value inside.
  let exif: [UInt8] =
    Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x3B, 0x01, 2, 0, 4, 0, 0, 0] + Array("\(name)\0".utf8)
    + [0, 0, 0, 0]
  let photo = try Photos.data("rocket.jpg")
  return photo.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif) + photo.dropFirst(2)
}

/// The paths of all files below a folder, sorted.
private func names(in folder: URL) throws -> [String] {
  try FileManager.default.subpathsOfDirectory(atPath: folder.path()).sorted().filter { path in
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: folder.path() + "/" + path, isDirectory: &isFolder)
    return exists && !isFolder.boolValue
  }
}
