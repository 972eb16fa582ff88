import Foundation
import Halcyon
import Synchronization
import TestSupport

/// A web server in this process, with hundreds of pictures of seven formats. It answers as distant servers do: late,
/// some very slowly, some not at all.
package struct GalleryOrigin: Sendable {
  /// What it has.
  package let pictures: [GalleryPicture]

  /// Runs `body` with a server of its own, which is gone afterwards.
  ///
  /// - Parameters:
  ///   - pictureCount: How many pictures it has.
  ///   - isDistant: Whether it takes its time.
  package static func run<Result>(
    pictureCount: Int, isDistant: Bool = true, _ body: (GalleryOrigin) async throws -> Result
  ) async throws -> Result {
    try await ImageServer.run { server in
      let pictures = (0..<pictureCount).map { number in
        let kind = PictureKind(number: number)
        let shelf = Shelf(kind: kind, number: number)
        let url = server.serve("/\(number)") { _ in
          if isDistant { usleep(Self.latency(number)) }
          return shelf.reply(isDistant: isDistant)
        }
        return GalleryPicture(title: "\(kind.title) \(number)", badge: kind.rawValue, url: url)
      }
      return try await body(GalleryOrigin(pictures: pictures))
    }
  }

  /// Microseconds, from 40 to 340 ms.
  private static func latency(_ number: Int) -> UInt32 {
    var noise = Noise(seed: UInt32(number))
    return 40_000 + noise.next() % 300_000
  }
}

/// One picture, encoded when it is first asked for.
private final class Shelf: Sendable {
  private let kind: PictureKind
  private let number: Int
  private let data = Mutex<Data?>(nil)

  init(kind: PictureKind, number: Int) {
    self.kind = kind
    self.number = number
  }

  func reply(isDistant: Bool) -> Reply {
    // Made twice where two ask at once, which harms nobody.
    guard let body = try? data.withLock({ $0 }) ?? kind.data(number: number) else { return .status(404) }
    data.withLock { $0 = body }
    let reply = Reply.body(body, headers: ["Cache-Control": "max-age=3600", "ETag": "\"\(number)\""])
    guard kind == .slow, isDistant else { return reply }
    return reply.paced(by: Self.drip(writeCount: body.count / 3000 + 2), byteCount: 3000, from: .body(0))
  }

  /// A gate that lets a piece through every 25 ms.
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
