import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.integrationTest)
struct ConvertCommandTests {
  @Test func `a folder is converted with its folders, and other files are skipped`() async throws {
    try await withFolders { sources, output in
      let paths = ["a.jpg", "in/b.jpg", "in/deep/c.jpg", ".hidden/d.jpg", "in/.e.jpg"]
      try writePhoto("rocket.jpg", to: sources, as: paths)
      try FileManager.default.createSymbolicLink(
        atPath: sources.path() + "in/again", withDestinationPath: sources.path())
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
        #expect(report["sourceFormat"] as? String == "jpeg")
        #expect(report["sourceWidth"] as? Int == 640)
        #expect(report["sourceHeight"] as? Int == 427)
      }
    }
  }

  @Test(arguments: ["convert", "info", "sheet"])
  func `a file that is not an image is named and fails if it has the extension of one`(command: String) async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      for (name, data) in [("empty.jpg", Data()), ("zeros.PNG", Data(count: 900)), ("notes.txt", Data("text".utf8))] {
        try data.write(to: sources.appending(path: name))
      }
      let target = command == "info" ? [] : ["-o", output.path() + (command == "sheet" ? "sheet.png" : "")]
      let run = try await CommandRun([command, sources.path()] + target)
      let text = run.output + run.errors
      #expect(run.status == 1)
      #expect(text.contains("empty.jpg"))
      #expect(text.contains("zeros.PNG"))
      #expect(!text.contains("notes"))
    }
  }

  @Test func `an existing file is replaced only with overwrite`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
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

  @Test func `an update makes results of new and changed sources only`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "b.jpg"])
      let arguments = ["convert", sources.path(), "-o", output.path(), "--size", "9x", "--update"]
      let counts = [
        ("Converted 2 files ", ""), ("Converted 0 files", "left 2 that exist"), ("Converted 1 file ", "left 1"),
      ]
      for (index, (converted, left)) in counts.enumerated() {
        if index == 2 {
          try FileManager.default.setAttributes(
            [.modificationDate: Date.now.addingTimeInterval(60)], ofItemAtPath: sources.path() + "b.jpg")
        }
        let run = try await CommandRun(arguments)
        #expect(run.output.contains(converted), "\(run.output)")
        #expect((left.isEmpty || run.output.contains(left)), "\(run.output)")
      }
      // Within a second, too; the other one is older than its source again.
      for (folder, part) in [(output, 0.25), (sources, 0.5)] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1e9 + part)], ofItemAtPath: folder.path() + "a.jpg")
      }
      let run = try await CommandRun(arguments)
      #expect(run.output.contains("Converted 2 files "), "\(run.output)")
      let both = try await CommandRun(arguments + ["--overwrite"])
      #expect(both.status == 64)
      #expect(both.errors.contains("--update"))
      // Results with the dates of their sources are not older.
      #expect(try await CommandRun(arguments.dropLast() + ["--overwrite", "--keep-dates"]).status == 0)
      let dated = try await CommandRun(arguments + ["--keep-dates"])
      #expect(dated.output.contains("left 2 that exist"), "\(dated.output)")
      let named = try await CommandRun(
        "convert", sources.path() + "a.jpg", "-o", output.path() + "a.jpg", "--update")
      #expect(named.output == "Converted 0 files; left 1 that exists.\n", "\(named.errors)")
    }
  }

  @Test func `several sizes make a result of each, once`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["in/a.jpg"])
      let arguments = [
        "convert", sources.path(), "-r", "--size", "100", "--size", "200", "--size", "900", "--size", "950",
      ]
      let run = try await CommandRun(arguments + ["-o", output.path()])
      // Images are not enlarged.
      #expect(try names(in: output) == ["in/a-100.jpg", "in/a-200.jpg", "in/a-640.jpg"], "\(run.errors)")
      #expect(run.status == 0, "\(run.output)")
      #expect(run.output.contains("Converted 3 files "), "\(run.output)")
      let high = ["-o", output.path(), "--name", "{name}-{height}.{ext}", "--dry-run"]
      #expect(try await CommandRun(arguments + high).status == 0)
      for (others, message) in [
        (["-o", output.path() + "b.jpg"], "4 sizes do not fit"),
        (["-o", output.path(), "--name", "{name}.{ext}"], "{width}"),
      ] {
        let refused = try await CommandRun(
          ["convert", sources.path() + "in/a.jpg"] + arguments.dropFirst(3) + others)
        #expect(refused.status == 64, "\(refused.errors)")
        #expect(refused.errors.contains(message), "\(refused.errors)")
      }
      let same = try await CommandRun(
        "convert", sources.path() + "in/a.jpg", "-o", output.path(), "--size", "90x60", "--size", "90x50", "--resize",
        "fill", "--name", "{width}.{ext}")
      #expect(same.status == 1, "\(same.output)\(same.errors)")
      #expect(same.errors.contains("is also the output"), "\(same.output)\(same.errors)")
    }
  }

  @Test func `other files are counted, and folders that are not searched, with the option for that`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["in/a.jpg", "more/b.jpg", ".hidden/c.jpg"])
      try Data("text".utf8).write(to: sources.appending(path: "notes.txt"))
      let run = try await CommandRun("convert", sources.path(), "-o", output.path())
      #expect(run.output.contains("; skipped 1 file that is not an image; "), "\(run.output)")
      #expect(run.output.hasSuffix("; left out 2 folders, which -r searches.\n"), "\(run.output)")
    }
  }

  @Test(arguments: [["duplicates", "x"], ["cache", "lst"]])
  func `an unknown command is named, with those that there are`(arguments: [String]) async throws {
    let run = try await CommandRun(arguments)
    let known = arguments[0] == "cache" ? "verify" : "convert"
    #expect(run.status == 64)
    #expect(
      run.errors.contains(
        "There is no command \(arguments.count > 1 && known == "verify" ? "lst" : "duplicates")."))
    #expect(run.errors.contains(known))
    #expect(!run.errors.contains("draw-svg"))
    let help = try await CommandRun(["help"] + arguments.dropLast().filter { $0 == "cache" })
    #expect(help.status == 0, "\(help.errors)")
    #expect(help.output.contains(known), "\(help.output)")
  }

  @Test func `a damaged file is reported, and the others are converted`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "c.jpg"])
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
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
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

  @Test func `a damaged scan is reported, and the picture is converted`() async throws {
    try await withFolders { sources, output in
      var data = try Photos.data("rocket.jpg")
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      data.replaceSubrange(data.count / 2..<data.count / 2 + 2, with: [0xFF, 0xD3])
      try data.write(to: sources.appending(path: "b.jpg"))
      for arguments in [["info", "--decode"], ["convert", "-o", output.path()]] {
        let run = try await CommandRun(arguments + [sources.path(), "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let damaged = try run.objects().filter { $0["damaged"] as? Bool == true }
        let path = damaged.first?[arguments[0] == "info" ? "path" : "source"] as? String
        #expect(damaged.count == 1, "\(run.output)")
        #expect(path?.hasSuffix("b.jpg") == true, "\(run.output)")
      }
      let again = try await CommandRun("convert", sources.path(), "-o", output.path(), "--overwrite")
      #expect(again.output.contains("1 with pixels that may be wrong, as the source is damaged"), "\(again.output)")
    }
  }

  @Test func `the same mistake in many files is one message, and with verbose all of them`() async throws {
    try await withFolders { sources, output in
      for name in ["a", "b", "c", "d"] {
        try writePhoto("rocket.jpg", to: sources, as: [name + ".jpg"])
        try writePhoto("chelsea.png", to: sources, as: [name + ".png"])
      }
      let arguments = [
        "convert", sources.path(), "-o", output.path(), "--format", "webp", "--size", "9x", "--overwrite", "--name",
        "x.{ext}",
      ]
      let run = try await CommandRun(arguments)
      #expect(run.status == 1, "\(run.output)")
      #expect(run.output.contains("7 failed."), "\(run.output)")
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
      let run = try await CommandRun("convert", sources.path() + "a.gif", "-o", output.path() + "name", "-v")
      #expect(run.output.contains(": \(output.path())name/a.gif."), "\(run.output)")
      #expect(run.output.contains(", 2 frames -> gif "), "\(run.output)")
      try TinyGIF.animation(reds: [200, 10]).write(to: sources.appending(path: "b.gif"))
      let both = try await CommandRun("convert", sources.path(), "-o", output.path(), "--format", "png", "-v")
      #expect(both.output.contains("of 2 animations only the first frame."), "\(both.output)")
      #expect(both.output.contains(", first of 2 frames -> png "), "\(both.output)")
    }
  }

  @Test(arguments: [
    ["--quality", "101"], ["--resize", "fill", "--size", "10x"], ["--format", "tiff"], ["--jobs", "0"],
    ["--jobs", "1001"],
    ["--name", "{unknown}"], ["--name", "../{name}"], ["--name", "a/../../{name}"],
    ["--format", "avif", "--metadata", "keep"], ["--memory", "0"],
    ["--colors", "1"], ["--colors", "257"], ["--quiet", "--verbose"], ["--quiet", "--json"],
    ["--strip", "--metadata", "keep"], ["--lossless", "--colors", "9"], ["--lossless", "--max-output", "9K"],
    ["--lossless", "--format", "jpeg"], ["-0"], ["--max-output", "0"], ["--size", "0%"], ["--size", "0"],
    ["--size", "50%", "--resize", "fill"], ["--size", "9", "--resize", "exact"], ["--name", "{nnnnnnnnnn}"],
    ["--process", "spin:90"], ["--process", "rot:91"], ["--process", "raw:1"], ["--process", "wm:1:ce"],
    ["--process", "pr:x"], ["--rotate", "45"], ["--crop", "9"], ["--crop", "9x9+1"], ["--crop", "0x9"],
    ["--crop", "9x9+a+0"], ["--rotate", "360"], ["-", "--files-from", "-"],
    ["--lossless", "--process", "q:50"], ["--lossless", "--process", "mb:9000"],
  ])
  func `invalid arguments and options that contradict each other print the usage`(arguments: [String]) async throws {
    let run = try await CommandRun(["convert", "a.jpg", "-o", "out"] + arguments)
    #expect(run.status == 64)
    #expect(run.errors.contains("Usage: halcyon convert"))
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
        #expect(pixel.red == 255)
        #expect(pixel.green == 0)
        #expect(pixel.blue == 0)
      }
      let info = try await CommandRun("info", source.path(), "--json")
      let report = try info.objects().first
      #expect(report?["gamut"] as? String == "wide" && report?["transfer"] as? String == "SDR")
      #expect(try await CommandRun("info", source.path()).output.contains("wide gamut"))
      #expect(try await CommandRun("convert", source.path(), "-o", "x.png", "--color-space", "cmyk").status == 64)
    }
  }

  @Test func `PNG has as many colours as are wanted, and files are shown in passes`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
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

  @Test func `more effort makes smaller files`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      for format in ["webp", "avif", "jxl"] {
        var sizes: [Int] = []
        for effort in ["1", "7"] {
          let run = try await CommandRun(
            "convert", sources.path(), "-o", output.path(), "--size", "64x", "--format", format, "--effort", effort,
            "--name", "\(effort).{ext}")
          #expect(run.status == 0, "\(run.errors)")
          sizes.append(try Data(contentsOf: output.appending(path: "\(effort).\(format)")).count)
        }
        // Of small photographs libjxl 0.11 makes its smallest files with the least effort.
        #expect(format == "jxl" ? sizes[1] != sizes[0] : sizes[1] < sizes[0], "\(format): \(sizes)")
      }
      #expect(try await CommandRun("convert", sources.path(), "-o", output.path(), "--effort", "0").status == 64)
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
      try writePhoto("rocket.jpg", to: sources, as: (0..<10).map { "\($0).jpg" })
      let run = try await CommandRun(
        "convert", sources.path(), "-o", output.path(), "--memory", "1", "--jobs", "4", "--size", "90", "--name",
        "{n}.{ext}")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try Set(names(in: output)) == Set((1...10).map { "\($0).jpg" }))
    }
  }

  #if os(Linux)
  @Test func `a signal leaves whole files only, and the next run converts the others`() async throws {
    try await withFolders { sources, output in
      try writePhoto("retina.jpg", to: sources, as: (0..<200).map { "\($0).jpg" })
      let run = try TerminalRun("convert", sources.path(), "-o", output.path(), "--format", "png")
      try await run.waitForText("of 200")
      run.send(SIGINT)
      let end = try await run.end()
      #expect(end.status == 130)
      #expect(end.text.contains("Stopped. Converted "), "\(end.text)")
      #expect(end.text.contains(" Repeat the command to go on."), "\(end.text)")
      let written = try FileManager.default.contentsOfDirectory(atPath: output.path())
      #expect(written.count < 200, "\(written)")
      #expect(written.allSatisfy { $0.hasSuffix(".png") }, "\(written)")
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

/// A photo with Exif data that has an artist of three letters.
private func photoWithArtist(_ name: String) throws -> Data {
  // A little-endian TIFF header, and a directory of one ASCII field with its value inside.
  let exif: [UInt8] =
    Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x3B, 0x01, 2, 0, 4, 0, 0, 0] + Array("\(name)\0".utf8)
    + [0, 0, 0, 0]
  let photo = try Photos.data("rocket.jpg")
  return photo.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif) + photo.dropFirst(2)
}
