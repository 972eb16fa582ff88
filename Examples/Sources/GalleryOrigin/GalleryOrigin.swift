import Foundation
import Halcyon
import Synchronization
import HalcyonTestSupport

/// A web server in this process with images of seven formats.
///
/// It simulates a distant server: responses are delayed, some bodies are slow, and some images are missing.
package struct GalleryOrigin: Sendable {
  /// The images on the server.
  package let images: [GalleryImage]

  /// Runs `body` with a new server, which is stopped afterwards.
  ///
  /// - Parameters:
  ///   - imageCount: The number of images.
  ///   - isDistant: Whether responses are delayed. Default: `true`.
  package static func run<Result>(
    imageCount: Int, isDistant: Bool = true, _ body: (GalleryOrigin) async throws -> Result
  ) async throws -> Result {
    try await ImageServer.run { server in
      let images = (0..<imageCount).map { number in
        let kind = ImageKind(number: number)
        let image = ServedImage(kind: kind, number: number)
        let url = server.serve("/\(number)") { _ in
          if isDistant { usleep(Self.latency(number)) }
          return image.reply(isDistant: isDistant)
        }
        return GalleryImage(title: "\(kind.title) \(number)", badge: kind.rawValue, url: url)
      }
      return try await body(GalleryOrigin(images: images))
    }
  }

  /// The delay of a response in microseconds, from 40 to 340 ms.
  private static func latency(_ number: Int) -> UInt32 {
    var noise = Noise(seed: UInt32(number))
    return 40_000 + noise.next() % 300_000
  }
}

/// An image that is encoded at its first request.
private final class ServedImage: Sendable {
  private let kind: ImageKind
  private let number: Int
  private let data = Mutex<Data?>(nil)

  init(kind: ImageKind, number: Int) {
    self.kind = kind
    self.number = number
  }

  func reply(isDistant: Bool) -> Reply {
    // Two concurrent requests may both encode it, with the same result.
    guard let body = try? data.withLock({ $0 }) ?? kind.data(number: number) else { return .status(404) }
    data.withLock { $0 = body }
    let reply = Reply.body(body, headers: ["Cache-Control": "max-age=3600", "ETag": "\"\(number)\""])
    guard kind == .slow, isDistant else { return reply }
    return reply.paced(by: Self.drip(writeCount: body.count / 3000 + 2), byteCount: 3000, from: .body(0))
  }

  /// A gate that releases one write every 25 ms.
  private static func drip(writeCount: Int) -> Gate {
    let gate = Gate()
    Thread.detachNewThread {
      for _ in 0..<writeCount {
        usleep(25_000)
        gate.release()
      }
    }
    return gate
  }
}
