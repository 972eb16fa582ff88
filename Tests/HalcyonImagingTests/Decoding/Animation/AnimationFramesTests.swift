import HalcyonImaging
import Foundation
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct AnimationFramesTests {
  @Test func `frames can be requested in any order`() async throws {
    let frames = try NumberedFramesDecoder(frameCount: 20).frames()
    for index in [0, 1, 2, 17, 3, 0, 19, 18] {
      let number = try await frames.frame(at: index).number
      #expect(number == index)
      #expect(frames.cachedFrame(at: index)?.number == index)
    }
  }

  @Test func `a thousand frames use no more memory than the cached ones`() async throws {
    let decoder = NumberedFramesDecoder(frameCount: 1000)
    let byteLimit = 10 * NumberedFramesDecoder.frameByteCount
    let frames = try decoder.frames(byteLimit: byteLimit)
    for index in 0..<2000 {
      let number = try await frames.frame(at: index % 1000).number
      #expect(number == index % 1000)
      #expect(frames.byteCount <= byteLimit)
      // In addition to the cached frames, one was just decoded, and an evicted one is being freed.
      #expect(decoder.inMemoryCount <= 12)
    }
  }

  @Test func `an animation that fits is decoded once`() async throws {
    let decoder = NumberedFramesDecoder(frameCount: 30)
    let frames = try decoder.frames(byteLimit: 30 * NumberedFramesDecoder.frameByteCount)
    for index in 0..<120 { _ = try await frames.frame(at: index % 30) }
    #expect(decoder.decoded.sorted() == Array(0..<30))
  }

  @Test func `the next frames are decoded ahead`() async throws {
    let (decoded, continuation) = AsyncStream.makeStream(of: Int.self)
    let frames = try NumberedFramesDecoder(frameCount: 9, beforeDecode: { _ = continuation.yield($0) }).frames()
    _ = try await frames.frame(at: 0)
    var begun: [Int] = []
    for await index in decoded {
      begun.append(index)
      if index == 3 { break }
    }
    #expect(begun == [0, 1, 2, 3])
  }

  @Test func `all players of an image share one frame reader`() async throws {
    let decoder = NumberedFramesDecoder(frameCount: 50)
    let image = try decoder.image()
    let frames = image.decodedFrames
    #expect(image.decodedFrames === frames)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for view in 0..<8 {
        group.addTask {
          var isRight = true
          for index in 0..<50 {
            let number = try await image.frame(at: (index + view) % 50).number
            isRight = isRight && number == (index + view) % 50
          }
          return isRight
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    // Opened once to probe the animation, and once to play it.
    #expect(decoder.openCount == 2)
  }

  @Test func `frames before a damaged one can be read repeatedly`() async throws {
    let frames = try NumberedFramesDecoder(frameCount: 10, damagedIndex: 6).frames(
      byteLimit: 2 * NumberedFramesDecoder.frameByteCount)
    for _ in 0..<3 {
      for index in 0..<6 {
        let number = try await frames.frame(at: index).number
        #expect(number == index)
      }
      for index in 6..<10 {
        await #expect(throws: ImageDecodingError.corrupt(.gif, reason: "frame 6 is damaged")) {
          try await frames.frame(at: index)
        }
      }
    }
  }

  @Test func `a cancelled waiter is released, and others are served`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let (decoded, continuation) = AsyncStream.makeStream(of: Int.self)
    let decoder = NumberedFramesDecoder(frameCount: 3) { index in
      continuation.yield(index)
      gate.waitWithLimit()
    }
    let frames = try decoder.frames()
    let first = Task { try await frames.frame(at: 0) }
    for await _ in decoded { break }
    first.cancel()
    await #expect(throws: ImageDecodingError.cancelled) { try await first.value }
    for _ in 0..<3 { gate.signal() }
    let number = try await frames.frame(at: 0).number
    #expect(number == 0)
  }

  @Test func `emptying the cache frees the frames`() async throws {
    let decoder = NumberedFramesDecoder(frameCount: 1)
    let frames = try decoder.frames()
    _ = try await frames.frame(at: 0)
    #expect(frames.byteCount == NumberedFramesDecoder.frameByteCount)
    frames.removeAll()
    #expect(frames.byteCount == 0 && frames.cachedFrame(at: 0) == nil)
    // The decoding thread lets go of the frame shortly after it has handed it over.
    while decoder.inMemoryCount > 0, !Task.isCancelled { await Task.yield() }
  }
}
