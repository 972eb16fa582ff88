import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ResourceTests {
  private struct TestFailure: Error {}

  @Test func `a temporary folder is empty, writable and removed afterwards`() async throws {
    let folder = try await TemporaryDirectory.run { folder in
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      try Data("abc".utf8).write(to: folder.appending(path: "file"))
      return folder
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func `a temporary folder is removed after an error, too`() async throws {
    let log = EventLog<URL>()
    await #expect(throws: TestFailure.self) {
      try await TemporaryDirectory.run { folder in
        log.record(folder)
        throw TestFailure()
      }
    }
    #expect(!FileManager.default.fileExists(atPath: try #require(log.events.first).path))
  }

  @Test func `a test can remove its folder itself`() async throws {
    let folder = try await TemporaryDirectory.run { folder in
      try FileManager.default.removeItem(at: folder)
      return folder
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func `open descriptors are counted`() async {
    await #expect(processExitsWith: .success) {
      let countBefore = try DescriptorCount.open()
      let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
      #expect(try DescriptorCount.open() == countBefore + 1)
      try file.close()
      #expect(try DescriptorCount.open() == countBefore)
    }
  }

  @Test func `events are recorded in order and can be awaited`() async throws {
    let log = EventLog<Int>()
    async let events = log.waitForEvents(count: 3)
    for number in 1...3 { log.record(number) }
    #expect(try await events == [1, 2, 3])
    let waiting = Task { try await log.waitForEvents(count: 4) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
  }
}
