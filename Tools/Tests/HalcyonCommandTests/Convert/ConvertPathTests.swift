import Foundation
import HalcyonTestTraits
import Testing

/// Which files `halcyon convert` reads, and the paths of its results.
@Suite(.integrationTest)
struct ConvertPathTests {
  @Test func `patterns match files at any depth, and keep folders from their first special character on`() async throws
  {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["2023/a.jpg", "2024/b.jpg", "2024/more/c.jpg", "other/d.jpg"])
      try writePhoto("rocket.jpg", to: sources, as: ["2024/.e.jpg", "2024/.more/f.jpg"])
      let pattern = sources.path() + "20*/**/*.jpg"
      let run = try await CommandRun("convert", pattern, "-o", output.path(), "--size", "50x")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try names(in: output) == ["2023/a.jpg", "2024/b.jpg", "2024/more/c.jpg"])
      let none = try await CommandRun("convert", sources.path() + "*.tiff", "-o", output.path())
      #expect(none.status == 1)
      #expect(none.errors.contains("*.tiff matches no file."))
      // The folders that a pattern matches are searched on request.
      let folders = try await CommandRun(
        "convert", sources.path() + "20*", "-r", "-o", output.path() + "all/", "--size", "50x")
      #expect(folders.status == 0, "\(folders.errors)")
      #expect(try names(in: output.appending(path: "all")) == ["2023/a.jpg", "2024/b.jpg", "2024/more/c.jpg"])
    }
  }

  @Test func `the output folder inside a source is not searched`() async throws {
    try await withFolders { sources, _ in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let output = sources.path() + "small"
      for _ in 1...2 {
        let run = try await CommandRun("convert", sources.path(), "-r", "-o", output, "--size", "50x")
        #expect(run.status == 0, "\(run.errors)")
      }
      #expect(try names(in: sources) == ["a.jpg", "small/a.jpg"])
    }
  }

  @Test func `a result is not a source of its run`() async throws {
    try await withFolders { sources, _ in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "in/b.jpg"])
      let run = try await CommandRun(
        "convert", sources.path(), "-r", "-o", sources.path(), "--name", "in/{name}.{ext}", "--size", "9x", "-j", "1")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try names(in: sources) == ["a.jpg", "in/a.jpg", "in/b.jpg", "in/in/b.jpg"])
    }
  }

  @Test func `a file that is named twice is converted once`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let run = try await CommandRun(
        "convert", sources.path() + "a.jpg", sources.path() + "./a.jpg", "-o", output.path(), "--size", "9x")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("Converted 1 file "))
      #expect(run.output.contains("left 1 that exists"))
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

  @Test func `a minus is standard input or standard output`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
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

  @Test func `one file is converted into the file that the output names, in the format of its extension`() async throws
  {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "b.jpg"])
      let file = output.path() + "in/out.webp"
      let arguments = ["convert", sources.path() + "a.jpg", "-o", file]
      #expect(try await CommandRun(arguments).status == 0)
      #expect(try names(in: output) == ["in/out.webp"])
      #expect(try Data(contentsOf: URL(filePath: file)).prefix(12).suffix(4) == Data("WEBP".utf8))
      let again = try await CommandRun(arguments)
      #expect(again.status == 1)
      #expect(again.errors.contains("\(file) exists. Replace it with --overwrite"))
      #expect(try await CommandRun(arguments + ["--overwrite", "--format", "webp"]).status == 0)
      for wrong in [
        [sources.path() + "b.jpg"], ["--format", "png"], ["--process", "f:png"], ["--name", "{name}-x.{ext}"],
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

  @Test func `an unknown extension of the output for one file is an error, unless it is a folder`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let arguments = ["convert", sources.path() + "a.jpg", "--size", "9x", "-o", output.path() + "a.wepb"]
      let run = try await CommandRun(arguments)
      #expect(run.status == 64, "\(run.errors)")
      #expect(run.errors.contains("Cannot write “.wepb” files"), "\(run.errors)")
      #expect(try names(in: output) == [])
      #expect(try await CommandRun(arguments.dropLast() + [arguments[5] + "/"]).status == 0)
      #expect(try await CommandRun(arguments).output.contains("left 1 that exists"))
    }
  }

  @Test func `two sources with one output are an error, and neither replaces the other`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      try writePhoto("chelsea.png", to: sources, as: ["a.png"])
      let arguments = ["convert", sources.path(), "-o", output.path(), "--format", "webp", "--overwrite"]
      let run = try await CommandRun(arguments)
      #expect(run.status == 1)
      #expect(run.errors.contains("is also the output of another file"))
      let apart = try await CommandRun(arguments + ["--name", "{name}-{source-ext}-{width}x{height}.{ext}"])
      #expect(apart.status == 0, "\(apart.errors)")
      #expect(try names(in: output) == ["a-jpg-640x427.webp", "a-png-451x300.webp", "a.webp"])
    }
  }

  @Test func `the hint for equal outputs tells all files apart`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg", "one/a.jpg", "two/a.jpg"])
      try writePhoto("chelsea.png", to: sources, as: ["a.png", "{name}/a.png"])
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

  @Test func `names of files are shown without control characters`() async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a\u{1B}[2J\n\u{202E}.jpg"])
      try Data("text".utf8).write(to: sources.appending(path: "b\u{9B}\n.txt"))
      for option in ["--verbose", "--json"] {
        let run = try await CommandRun(
          "convert", sources.path(), sources.path() + "b\u{9B}\n.txt", "-o", output.path(), "--size", "9x", option)
        #expect(run.status == 1)
        for text in [run.output, run.errors] {
          #expect(!text.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) }, "\(text)")
        }
        #expect(run.output.split(separator: "\n").count == 2, "\(run.output)")
      }
      #expect(try names(in: output) == ["a\u{1B}[2J\n\u{202E}.jpg"])
    }
  }

  #if os(Linux)
  @Test func `there are no more threads than files`() async throws {
    try await withFolders { sources, output in
      let names = (0..<20).map { "\($0).jpg" }
      try writePhoto("rocket.jpg", to: sources, as: names)
      let process = Process()
      let (list, reports) = (Pipe(), Pipe())
      process.executableURL = try CommandRun.program()
      process.arguments = ["convert", "--files-from", "-", "-o", output.path(), "--json", "--jobs", "900"]
      process.standardInput = list
      process.standardOutput = reports
      try process.run()
      for name in names {
        try list.fileHandleForWriting.write(contentsOf: Data("\(sources.path())\(name)\n".utf8))
        #expect(!reports.fileHandleForReading.availableData.isEmpty)
      }
      // The list has not ended.
      let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/task")
      #expect(tasks.count < 100)
      try list.fileHandleForWriting.close()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }
  #endif
}
