import Foundation
import TestSupport
import TestTraits
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
      #expect(try Data(contentsOf: URL(filePath: image)).starts(with: [0x89, 0x50, 0x4E, 0x47]))

      let second = try await CommandRun("get", url, "--size", "200x", "--json", "--cache-dir", cache)
      let report = try #require(try second.objects().first)
      #expect(report["origin"] as? String == "store")
      #expect(report["width"] as? Int == 200)
      #expect(report["encodedBytes"] as? Int == 112_525)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `an image that needs no conversion is written with its original bytes`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("retina.jpg")
      let file = folder.appending(path: "copy.jpg")
      let run = try await CommandRun(
        "get", server.serve("/a", .body(photo)).absoluteString, "-o", file.path(), "--cache-dir", folder.path() + "/c")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try Data(contentsOf: file) == photo)
    }
  }

  @Test func `the freshness option decides whether the cache or the server is used`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let arguments = ["get", url, "--json", "--cache-dir", folder.path() + "/cache", "--freshness"]
      let missing = try await CommandRun(arguments + ["cache-only"])
      #expect(missing.status == 1)
      let error = try #require(try missing.objects().first?["error"] as? String)
      #expect(error.hasPrefix("\(url) is not cached") && !error.contains(".standard"))
      #expect(server.requests.isEmpty)
      for (policy, origin, count) in [
        ("standard", "network", 1), ("standard", "store", 1), ("cache-only", "store", 1), ("reload", "network", 2),
        ("offline", "store", 2),
      ] {
        let run = try await CommandRun(arguments + [policy])
        #expect(try run.objects().first?["origin"] as? String == origin, "\(policy) \(run.errors)")
        #expect(server.requests.count == count)
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
          "get", url, "-o", file.path(), "--cache-dir", folder.path() + "/cache", "--freshness", "reload")
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

  @Test(arguments: ["jpg", "png", "webp", "gif", "avif", "jxl"])
  func `every format that can be encoded is written`(_ name: String) async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/cat.png", .body(try Photos.data("chelsea.png"))).absoluteString
      let file = folder.appending(path: "a.\(name)").path()
      let run = try await CommandRun("get", url, "--size", "40x", "-o", file, "--cache-dir", folder.path() + "/c")
      #expect(run.status == 0, "\(run.errors)")
      let info = try await CommandRun("info", file, "--json", "--cache-dir", folder.path() + "/c")
      #expect(try info.objects().first?["width"] as? Int == 40)
      #expect(try info.objects().first?["format"] as? String == (name == "jpg" ? "jpeg" : name))
    }
  }

  @Test func `a lower quality makes a smaller file`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      var sizes: [Int] = []
      for quality in ["10", "90"] {
        let file = folder.appending(path: "\(quality).jpg")
        let run = try await CommandRun(
          "get", url, "--quality", quality, "-o", file.path(), "--cache-dir", folder.path() + "/c")
        #expect(run.status == 0, "\(run.errors)")
        sizes.append(try Data(contentsOf: file).count)
      }
      #expect(sizes[0] < sizes[1])
    }
  }

  @Test func `several images are written into a folder, and a failure does not end the others`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let urls = [
        server.serve("/a.jpg", .body(photo)).absoluteString, server.serve("/gone.jpg", .status(410)).absoluteString,
        server.serve("/cat", .body(try Photos.data("chelsea.png"))).absoluteString,
      ]
      let run = try await CommandRun(
        ["get"] + urls + ["--json", "-o", folder.path() + "/out/", "--cache-dir", folder.path() + "/c"])
      #expect(run.status == 1)
      let reports = try run.objects()
      #expect(reports.map { $0["address"] as? String } == urls)
      #expect(reports.map { $0["error"] is String } == [false, true, false])
      #expect(try Data(contentsOf: folder.appending(path: "out/a.jpg")) == photo)
      #expect(FileManager.default.fileExists(atPath: folder.path() + "/out/cat.png"))
    }
  }

  @Test func `a minus writes the image to standard output`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/cat.png", .body(try Photos.data("chelsea.png"))).absoluteString
      let run = try await CommandRun("get", url, "-o", "-", "--cache-dir", folder.path() + "/c")
      #expect(run.status == 0)
      #expect(run.output.contains("PNG"))
      #expect(!run.output.contains("network"))
      #expect(run.errors.contains("png 451x300, network, "))
    }
  }

  @Test func `an unwritable path is an error that names it`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/cat.png", .body(try Photos.data("chelsea.png"))).absoluteString
      let file = folder.path() + "/missing/a.png"
      let run = try await CommandRun("get", url, "-o", file, "--cache-dir", folder.path() + "/c")
      #expect(run.status == 1)
      #expect(run.errors.contains("Error: \(file) cannot be written: No such file or directory."))
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
        #expect(!run.errors.contains("limits.") && !run.errors.contains(".standard"))
      }
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
