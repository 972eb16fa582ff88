import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct GetCommandTests {
  @Test func `a second process finds a downloaded image in the disk cache`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let cache = folder.path(percentEncoded: false) + "/cache"
      let image = folder.path(percentEncoded: false) + "/small.png"
      let first = try await CommandRun("get", url, "--size", "200x", "-o", image, "--cache-dir", cache)
      #expect(first.status == 0, "\(first.errors)")
      #expect(first.output.hasPrefix("jpeg 200x133 from 640x427, network, "))
      #expect(first.output.contains(", 112525 bytes -> "), "\(first.output)")
      #expect(try Data(contentsOf: URL(filePath: image)).starts(with: [0x89, 0x50, 0x4E, 0x47]))

      let second = try await CommandRun("get", url, "--size", "200x", "--json", "--cache-dir", cache)
      let report = try #require(try second.objects().first)
      #expect(report["origin"] as? String == "store")
      #expect(report["width"] as? Int == 200)
      #expect(report["sourceWidth"] as? Int == 640 && report["sourceHeight"] as? Int == 427)
      #expect(report["encodedBytes"] as? Int == 112_525)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `the freshness option decides whether the cache or the server is used`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let arguments = ["get", url, "--json", "--cache-dir", folder.path() + "/cache", "--freshness"]
      let missing = try await CommandRun(arguments + ["cache-only"])
      #expect(missing.status == 1)
      let error = try #require(try missing.objects().first?["error"] as? String)
      #expect(error.hasPrefix("\(url) is not cached"))
      #expect(!error.contains(".standard"))
      #expect(server.requests.isEmpty)
      for (policy, origin, count) in [
        ("standard", "network", 1), ("standard", "store", 1), ("cache-only", "store", 1), ("reload", "network", 2),
      ] {
        let run = try await CommandRun(arguments + [policy])
        #expect(try run.objects().first?["origin"] as? String == origin, "\(policy) \(run.errors)")
        #expect(server.requests.count == count)
      }
      let stale = Reply.body(try Photos.data("rocket.jpg"), headers: ["Cache-Control": "max-age=0", "ETag": "\"a\""])
      let other = server.serve("/stale.jpg", stale).absoluteString
      for (policy, origin) in [("standard", "network"), ("cache-first", "store")] {
        let run = try await CommandRun(["get", other] + arguments.dropFirst(2) + [policy])
        #expect(try run.objects().first?["origin"] as? String == origin, "\(policy) \(run.errors)")
      }
    }
  }

  @Test func `the bytes of a reload are written as they came, without a second request`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/rocket.jpg", .body(photo)).absoluteString
      let file = folder.appending(path: "rocket.jpg")
      for count in 1...2 {
        let run = try await CommandRun(
          "get", url, "-o", file.path(), "--overwrite", "--cache-dir", folder.path() + "/cache", "--freshness", "reload"
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.count == count)
        #expect(try Data(contentsOf: file) == photo)
      }
    }
  }

  @Test func `a load that exceeds the timeout fails`() async throws {
    try await withOrigin { server, folder in
      let gate = Gate()
      let url = server.serve("/slow.jpg", .body(try Photos.data("rocket.jpg")).held(by: gate)).absoluteString
      let run = try await CommandRun("get", url, "--timeout", "0.2", "--cache-dir", folder.path() + "/cache")
      #expect(run.status == 1)
      #expect(run.errors.contains("was not loaded within 0.2 seconds"))
      gate.open()
    }
  }

  @Test(arguments: [
    ["--freshness", "new"], ["--timeout", "0"], ["--size", "0x5"], ["--size", "big"], ["--size", "x"], ["-o", "a.bmp"],
    ["--size", "50%"],
    ["--quality", "101"], ["--max-pixels", "0"], ["http://127.0.0.1:1/b.jpg", "-o", "a.jpg"],
    [],
  ])
  func `invalid arguments print the usage`(arguments: [String]) async throws {
    let all = arguments.isEmpty ? [] : ["http://127.0.0.1:1/a.jpg"] + arguments
    let run = try await CommandRun(["get"] + all)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("Usage: halcyon get"))
  }

  @Test(arguments: [("x61", "91x61"), ("300X61", "91x61"), ("9000x", "640x427")])
  func `a size limits the sides that it names, and enlarges nothing`(size: String, result: String) async throws {
    try await TemporaryDirectory.run { folder in
      let photo = folder.appending(path: "a.jpg")
      try Photos.data("rocket.jpg").write(to: photo)
      let run = try await CommandRun("get", photo.path(), "--size", size, "--cache-dir", folder.path() + "/c")
      #expect(run.output.hasPrefix("jpeg \(result)"), "\(run.output)\(run.errors)")
    }
  }

  @Test(arguments: ["jpg", "JPEG", "png", "webp", "gif", "avif", "jxl"])
  func `every format that can be encoded is written`(_ name: String) async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/cat.png", .body(try Photos.data("chelsea.png"))).absoluteString
      let file = folder.appending(path: "a.\(name)").path()
      let run = try await CommandRun("get", url, "--size", "40x", "-o", file, "--cache-dir", folder.path() + "/c")
      #expect(run.status == 0, "\(run.errors)")
      let info = try await CommandRun("info", file, "--json", "--cache-dir", folder.path() + "/c")
      #expect(try info.objects().first?["width"] as? Int == 40)
      #expect(try info.objects().first?["format"] as? String == (name == "jpg" ? "jpeg" : name.lowercased()))
    }
  }

  @Test func `an output without an extension, or with an unknown one, is an error that says so`() async throws {
    for (output, message) in [
      ("out", "out has no extension"), ("out.wepb", "Cannot write “.wepb” files"),
      (".hidden", ".hidden has no extension"),
    ] {
      let run = try await CommandRun("get", "http://127.0.0.1:1/a.jpg", "-o", output)
      #expect(run.status == 64, "\(run.errors)")
      #expect(run.errors.contains(message), "\(run.errors)")
      #expect(run.errors.contains("\(output)/"), "\(run.errors)")
    }
  }

  @Test func `a lower quality makes a smaller file, and it is 80 by default`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      var sizes: [Int] = []
      for options in [
        ["--quality", "10"], ["--quality", "90"], ["--quality", "80", "--size", "300x"], ["--size", "300x"],
      ] {
        let file = folder.appending(path: "\(sizes.count).jpg")
        let run = try await CommandRun(
          ["get", url, "-o", file.path(), "--cache-dir", folder.path() + "/c"] + options)
        #expect(run.status == 0, "\(run.errors)")
        sizes.append(try Data(contentsOf: file).count)
      }
      #expect(sizes[0] < sizes[1])
      #expect(sizes[2] == sizes[3])
    }
  }

  @Test(arguments: [("gif", 2, false), ("webp", 2, false), ("png", 1, true)])
  func `an animation is written with all its frames, or with its first one, which the report says`(
    format: String, frameCount: Int, isStill: Bool
  ) async throws {
    try await withOrigin { _, folder in
      let source = folder.appending(path: "a.gif")
      let bytes = TinyGIF.animation(reds: [200, 10])
      try bytes.write(to: source)
      let result = folder.appending(path: "b.\(format)")
      let run = try await CommandRun(
        "get", source.path(), "-o", result.path(), "--overwrite", "--cache-dir", folder.path() + "/c", "--json")
      #expect(try run.objects().first?["isStill"] as? Bool == isStill, "\(run.output)\(run.errors)")
      #expect(try await DecodedImage(contentsOf: result).info.frameCount == frameCount)
      let text = try await CommandRun(
        "get", source.path(), "-o", result.path(), "--overwrite", "--cache-dir", folder.path() + "/c")
      #expect(text.output.contains("only the first of 2 frames") == isStill)
      guard format == "gif" else { return }
      #expect(text.status == 0 && !text.output.contains("frame"), "\(text.output)\(text.errors)")
      #expect(try Data(contentsOf: result) == bytes)
    }
  }

  @Test func `the report of a picture says nothing of frames`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      for format in ["png", "webp"] {
        let result = folder.appending(path: "a.\(format)")
        let run = try await CommandRun(
          "get", url, "-o", result.path(), "--cache-dir", folder.path() + "/c", "--json")
        #expect(try run.objects().first?["isStill"] as? Bool != true, "\(run.output)\(run.errors)")
      }
    }
  }

  @Test func `several images are written into a folder, and a failure does not end the others`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let urls = [
        server.serve("/a.jpg", .body(photo)).absoluteString, server.serve("/gone.jpg", .status(410)).absoluteString,
        server.serve("/cat", .body(try Photos.data("chelsea.png"))).absoluteString,
        server.serve("/more/a.jpg", .body(photo)).absoluteString,
      ]
      let run = try await CommandRun(
        ["get"] + urls + ["--json", "-o", folder.path() + "/out/", "--cache-dir", folder.path() + "/c"])
      #expect(run.status == 1)
      let reports = try run.objects()
      #expect(reports.map { $0["address"] as? String } == urls)
      #expect(reports.map { $0["error"] is String } == [false, true, false, false])
      let written = reports.map { ($0["output"] as? String)?.split(separator: "/").last }
      #expect(written == ["a.jpg", nil, "cat.png", "a-2.jpg"])
      #expect(try Data(contentsOf: folder.appending(path: "out/a.jpg")) == photo)
      #expect(try names(in: folder.appending(path: "out")) == ["a-2.jpg", "a.jpg", "cat.png"])
    }
  }

  @Test func `a folder gets the bytes of a format that cannot be written, and PNG of another size`() async throws {
    try await TemporaryDirectory.run { folder in
      // Two rows of two black pixels.
      let header: [UInt8] = [70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0]
      let bitmap = Data("BM".utf8) + Data(header) + Data(count: 40)
      let source = folder.appending(path: "a.bmp")
      try bitmap.write(to: source)
      let output = folder.appending(path: "out")
      for size in [[], ["--size", "1x"]] {
        let run = try await CommandRun(
          ["get", source.path(), "-o", output.path() + "/", "--cache-dir", folder.path() + "/c"] + size)
        #expect(run.status == 0, "\(run.errors)")
      }
      #expect(try names(in: output) == ["a.bmp", "a.png"])
      #expect(try Data(contentsOf: output.appending(path: "a.bmp")) == bitmap)
    }
  }

  @Test func `a minus writes the image to standard output`() async throws {
    try await withOrigin { server, folder in
      for (path, target) in [("/a.png", "-"), ("/b.png", "/dev/stdout")] {
        let url = server.serve(path, .body(try Photos.data("chelsea.png"))).absoluteString
        let run = try await CommandRun("get", url, "-o", target, "--cache-dir", folder.path() + "/c")
        #expect(run.status == 0)
        #expect(run.output.contains("PNG"))
        #expect(!run.output.contains("network"))
        #expect(run.errors.contains("png 451x300, network, "))
      }
    }
  }

  @Test func `the folders of a named file are created`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/a.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let output = folder.path() + "/new/in/b.png"
      let run = try await CommandRun("get", url, "-o", output, "--size", "9x", "--cache-dir", folder.path() + "/c")
      #expect(run.status == 0, "\(run.errors)")
      #expect(FileManager.default.fileExists(atPath: output), "\(run.errors)")
    }
  }

  @Test func `an unwritable path is an error that names it`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/cat.png", .body(try Photos.data("chelsea.png"))).absoluteString
      try Data().write(to: folder.appending(path: "file"))
      let file = folder.path() + "/file/a.png"
      let run = try await CommandRun("get", url, "-o", file, "--cache-dir", folder.path() + "/c")
      #expect(run.status == 1)
      #expect(run.errors.contains("Error: \(folder.path())/file cannot be written: "))
    }
  }

  @Test func `limits and freshness are advised by the options of the program`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/cat.png", .body(try Photos.data("chelsea.png"))).absoluteString
      for (option, advice) in [
        (["--max-bytes", "9"], "--max-bytes"), (["--max-pixels", "9"], "--max-pixels"),
        (["--max-side", "9"], "--max-side"), (["--freshness", "cache-only"], "--freshness standard"),
      ] {
        let run = try await CommandRun(["get", url, "--cache-dir", folder.path() + "/c"] + option)
        #expect(run.status == 1)
        #expect(run.errors.contains(advice), "\(run.errors)")
        #expect(!run.errors.contains("limits."))
        #expect(!run.errors.contains(".standard"))
      }
    }
  }

  @Test func `a URL cannot choose another folder, a hidden name or control characters`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let outside = folder.appending(path: "etc/x.jpg")
      try FileManager.default.createDirectory(at: folder.appending(path: "etc"), withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: outside)
      let base = server.url("/").absoluteString
      let names = ["a/..%2Fetc%2Fx.jpg", "..%2Fetc%2F%CC%81y.jpg", ".bashrc.jpg", "a%0Ab%1B%5B2J%C2%9B%E2%80%AE.jpg"]
      for name in names { _ = server.serve("/" + name, .body(photo)) }
      let run = try await CommandRun(
        ["get", "-o", folder.path() + "/out/", "--cache-dir", folder.path() + "/c"] + names.map { base + $0 })
      #expect(run.status == 0, "\(run.errors)")
      let written = try FileManager.default.contentsOfDirectory(atPath: folder.path() + "/out")
      #expect(Set(written) == ["x.jpg", "\u{301}y.jpg", "bashrc.jpg", "ab[2J.jpg"])
      #expect(try Data(contentsOf: outside) == Data("mine".utf8))
    }
  }

  @Test func `an existing file is replaced only with overwrite, and the error names both`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/a.jpg", .body(photo)).absoluteString
      let file = folder.appending(path: "a.jpg")
      try Data("mine".utf8).write(to: file)
      for output in [file.path(), folder.path()] {
        let arguments = ["get", url, "-o", output, "--cache-dir", folder.path() + "/c"]
        let kept = try await CommandRun(arguments)
        #expect(kept.status == 1)
        #expect(kept.errors.contains("a.jpg exists. Replace it with --overwrite"), "\(kept.errors)")
        // A name that is taken is known before the download.
        if output == file.path() { #expect(server.requests.isEmpty) }
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        #expect(try await CommandRun(arguments + ["--overwrite"]).status == 0)
        #expect(try Data(contentsOf: file) == photo)
        try Data("mine".utf8).write(to: file)
      }
    }
  }

  @Test func `an empty argument, a pipe and a folder are errors that say so`() async throws {
    try await TemporaryDirectory.run { folder in
      let pipe = folder.path() + "/pipe.png"
      try #require(mkfifo(pipe, 0o600) == 0)
      let cache = ["--cache-dir", folder.path() + "/c"]
      for (source, message) in [
        ("", "An argument is empty."), (pipe, "\(pipe) is a pipe, not a file."),
        (folder.path(), "\(folder.path()) is a folder, not a file."),
      ] {
        let run = try await CommandRun(["get", source] + cache)
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.errors.contains("Error: " + message), "\(run.errors)")
        let comparison = try await CommandRun(["compare", source, source] + cache)
        #expect(comparison.status == 2, "\(comparison.errors)")
        #expect(comparison.errors.contains("Error: " + message), "\(comparison.errors)")
      }
    }
  }

  @Test func `errors of arguments escape control characters`() async throws {
    for arguments in [
      ["get\n\u{1B}[31m"], ["get", "--x\u{1B}[31m\ny"], ["cache", "get", "\u{202E}\u{9B}x", "-d", "."],
    ] {
      let run = try await CommandRun(arguments)
      #expect(run.status != 0)
      #expect(
        !run.errors.isEmpty && !run.errors.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
      #expect(!run.errors.contains("\ny") && !run.errors.contains("\n["))
    }
  }

  @Test func `a failure names the URL and writes no file`() async throws {
    try await withOrigin { server, folder in
      let file = folder.appending(path: "a.png").path()
      let url = server.serve("/gone.jpg", .status(410)).absoluteString
      let run = try await CommandRun("get", url, "-o", file, "--cache-dir", folder.path() + "/c")
      #expect(run.status == 1)
      #expect(run.errors.contains("\(url) responded with HTTP 410."))
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }
}
