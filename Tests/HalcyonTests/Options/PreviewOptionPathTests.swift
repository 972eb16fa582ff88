import Foundation
import Halcyon
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Previews, on every path that shows them. A load without previews waits until its test ends.
@Suite(.unitTest)
struct PreviewOptionPathTests {
  /// A file that has a preview after three quarters.
  private func file(_ path: LoadPath) throws -> Data {
    try path == .animation ? path.served : Photos.data("rocket_progressive.jpg")
  }

  /// Runs a test whose transport sends three quarters of a file, and the rest when a gate opens.
  private func run(
    _ path: LoadPath, _ level: OptionsLevel, change: (inout RequestOptions) -> Void,
    body: (OptionsFixture, ImageRequest, Gate) async throws -> Void
  ) async throws {
    let (file, gate) = (try file(path), Gate())
    let options = level.options {
      $0.previews = PreviewPolicy(minimumInterval: .zero)
      change(&$0)
    }
    try await OptionsFixture.run(options: options.pipeline) { _ in
      .response(body: file, pieceByteCount: file.count * 3 / 4) { try? await gate.wait() }
    } body: { fixture async throws in
      try await body(fixture, path.request(fixture) { $0 = options.request }, gate)
    }
  }

  @Test(arguments: LoadPath.affected(by: .previews), OptionsLevel.allCases)
  func `previews are shown while the image is transferred`(path: LoadPath, level: OptionsLevel) async throws {
    try await run(path, level) { _ in
    } body: { fixture, request, gate in
      let previews = EventLog<DecodedImage>()
      let load = Task { try await path.load(request, with: fixture.pipeline) { previews.record($0) } }
      try await previews.waitForEvents(count: 1)
      gate.open()
      let size = try await load.value.size
      #expect(previews.events.allSatisfy { $0.isPartial && $0.size == size })
    }
  }

  @Test(arguments: LoadPath.affected(by: .previews), OptionsLevel.allCases)
  func `the preview of a load that failed is shown by the next one`(path: LoadPath, level: OptionsLevel) async throws {
    try await run(path, level) { options in
      options.previews?.keepsLast = true
      options.timeout = .seconds(5)
    } body: { fixture, request, gate in
      let previews = EventLog<PixelSize>()
      let cut = Task { try await path.load(request, with: fixture.pipeline) { previews.record($0.size) } }
      try await previews.waitForEvents(count: 1)
      await fixture.clock.waitForSleepers()
      fixture.clock.advance(by: .seconds(5))
      await #expect(throws: ImageError.self) { try await cut.value }
      try #require(fixture.memory.count == 1)

      let later = EventLog<PixelSize>()
      let load = Task { try await path.load(request, with: fixture.pipeline) { later.record($0.size) } }
      #expect(try await later.waitForEvents(count: 1).first == previews.events.last)
      gate.open()
      #expect(try await load.value.size == previews.events.last)
      #expect(fixture.memory.count == 1, "the image without its preview")
      #expect(fixture.pipeline[cached: request]?.isPartial == false)
    }
  }
}
