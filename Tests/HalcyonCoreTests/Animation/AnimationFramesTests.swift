import HalcyonImaging
import Foundation
import Testing

struct AnimationFramesTests {
  @Test func `any picture can be asked for in any order`() async throws {
    let frames = try FlipBook(frameCount: 20).frames()
    for index in [0, 1, 2, 17, 3, 0, 19, 18] {
      let number = try await frames.frame(at: index).number
      #expect(number == index)
      #expect(frames.cachedFrame(at: index)?.number == index)
    }
  }

  @Test func `a thousand pictures take the memory of the few that are kept`() async throws {
    let book = FlipBook(frameCount: 1000)
    let byteLimit = 10 * FlipBook.frameByteCount
    let frames = try book.frames(byteLimit: byteLimit)
    for index in 0..<2000 {
      let number = try await frames.frame(at: index % 1000).number
      #expect(number == index % 1000)
      #expect(frames.byteCount <= byteLimit)
      // The one that a thread has just decoded, and one that has left and is being freed.
      #expect(book.liveCount <= 12)
    }
  }

  @Test func `an animation that fits is decoded once`() async throws {
    let book = FlipBook(frameCount: 30)
    let frames = try book.frames(byteLimit: 30 * FlipBook.frameByteCount)
    for index in 0..<120 { _ = try await frames.frame(at: index % 30) }
    #expect(book.decoded.sorted() == Array(0..<30))
  }

  @Test func `the next pictures are decoded before they are asked for`() async throws {
    let (decoded, continuation) = AsyncStream.makeStream(of: Int.self)
    let frames = try FlipBook(frameCount: 9, beforeDecode: { _ = continuation.yield($0) }).frames()
    _ = try await frames.frame(at: 0)
    var begun: [Int] = []
    for await index in decoded {
      begun.append(index)
      if index == 3 { break }
    }
    #expect(begun == [0, 1, 2, 3])
  }

  @Test func `one decoder serves everyone who plays an image`() async throws {
    let book = FlipBook(frameCount: 50)
    let image = try book.image()
    let frames = image.frames
    #expect(image.frames === frames)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for view in 0..<8 {
        group.addTask {
          var isRight = true
          for index in 0..<50 {
            let number = try await image.frames.frame(at: (index + view) % 50).number
            isRight = isRight && number == (index + view) % 50
          }
          return isRight
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    // Once to learn about the animation, once to play it.
    #expect(book.openCount == 2)
  }

  @Test func `pictures before a damaged one are shown, again and again`() async throws {
    let frames = try FlipBook(frameCount: 10, damagedIndex: 6).frames(byteLimit: 2 * FlipBook.frameByteCount)
    for _ in 0..<3 {
      for index in 0..<6 {
        let number = try await frames.frame(at: index).number
        #expect(number == index)
      }
      for index in 6..<10 {
        await #expect(throws: ImageDecodingError.corrupt(.gif, reason: "page 6 is torn")) {
          try await frames.frame(at: index)
        }
      }
    }
  }

  @Test func `who stops waiting is let go, and others are served`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let (decoded, continuation) = AsyncStream.makeStream(of: Int.self)
    let book = FlipBook(frameCount: 3) { index in
      continuation.yield(index)
      gate.wait()
    }
    let frames = try book.frames()
    let first = Task { try await frames.frame(at: 0) }
    for await _ in decoded { break }
    first.cancel()
    await #expect(throws: ImageDecodingError.cancelled) { try await first.value }
    for _ in 0..<3 { gate.signal() }
    let number = try await frames.frame(at: 0).number
    #expect(number == 0)
  }

  @Test func `emptying the cache frees the pictures`() async throws {
    let book = FlipBook(frameCount: 1)
    let frames = try book.frames()
    _ = try await frames.frame(at: 0)
    #expect(frames.byteCount == FlipBook.frameByteCount)
    frames.removeAll()
    #expect(frames.byteCount == 0 && frames.cachedFrame(at: 0) == nil && book.liveCount == 0)
  }
}
