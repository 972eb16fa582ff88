import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import struct HalcyonImaging.FrameCache

@Suite(.unitTest)
struct FrameCacheTests {
  @Test func `the frame that is shown last from now is evicted first`() throws {
    var cache = FrameCache(frameCount: 10, byteLimit: 3 * 4)
    cache.current = 8
    for index in [7, 8, 9, 0] { _ = cache.insert(try frame(), at: index) }
    #expect((0..<10).filter { cache[$0] != nil } == [0, 8, 9])
    #expect(cache.byteCount == 12)
  }

  @Test func `one frame is kept whatever the limit`() throws {
    var cache = FrameCache(frameCount: 10, byteLimit: 0)
    _ = cache.insert(try frame(), at: 0)
    #expect(cache[0] != nil && cache.byteCount == 4)
    #expect(cache.insert(try frame(), at: 0).count == 1)
    #expect(cache[0] != nil && cache.byteCount == 4)
  }

  @Test func `a limit is lowered, and not raised again`() throws {
    var cache = FrameCache(frameCount: 10, byteLimit: 3 * 4)
    for index in 0..<3 { _ = cache.insert(try frame(), at: index) }
    #expect(cache.lowerLimit(to: 2 * 4).count == 1)
    _ = cache.lowerLimit(to: 9 * 4)
    for index in 3..<6 { _ = cache.insert(try frame(), at: index) }
    #expect(cache.byteCount == 2 * 4)
  }

  private func frame() throws -> AnimationFrame {
    let bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: true) { _ in }
    return AnimationFrame(bitmap: bitmap, duration: .milliseconds(40))
  }
}
