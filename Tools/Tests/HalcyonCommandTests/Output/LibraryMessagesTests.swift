import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.integrationTest)
struct LibraryMessagesTests {
  #if os(Linux)
  @Test func `messages of C libraries are dropped`() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      LibraryMessages.drop()
      perror("a library")
      exit(0)
    }
    #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("a library"))
  }

  @Test func `the message of a crash is printed, after the last ones of libraries`() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      LibraryMessages.drop()
      for _ in 0..<1000 { perror("a library") }
      perror("another library")
      fatalError("the reason of the crash")
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("another library"), "\(text)")
    #expect(text.contains("the reason of the crash"), "\(text)")
    #expect(text.count { $0 == "\n" } < 500)
  }

  @Test func `an aborted program shows its last messages and ends by the signal`() async throws {
    let result = try await #require(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      LibraryMessages.drop()
      perror("an assertion")
      abort()
    }
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("an assertion"))
  }
  #endif

  @Test func `damaged files have one message each`() async throws {
    try await TemporaryDirectory.run { folder in
      let bitmap = try Bitmap(size: PixelSize(width: 64, height: 48), isOpaque: true) { bytes in
        for index in bytes.indices {
          bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* index >> 3)
        }
      }
      for format in [ImageFormat.jpegXL, .avif] {
        let file = try await DecodedImage(bitmap: bitmap).encoded(as: format)
        for part in 1..<10 {
          var damaged = file
          damaged[file.count * part / 10] ^= 0xFF
          let source = folder.appending(path: "\(part).\(format.fileExtension)")
          try damaged.write(to: source)
          let run = try await CommandRun("convert", source.path, "--output", folder.appending(path: "\(part).png").path)
          #expect(run.errors.split(separator: "\n").count <= 1, "\(run.errors)")
        }
      }
    }
  }
}
