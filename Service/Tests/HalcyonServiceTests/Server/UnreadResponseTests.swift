import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Clients that do not read their responses.
@Suite(.integrationTest, .serialized)
struct UnreadResponseTests {
  /// A noisy image, whose file has about three bytes for each pixel.
  private static func noise() throws -> Data {
    var state: UInt64 = 1
    let bitmap = try Bitmap(size: PixelSize(width: 1000, height: 1000), isOpaque: true) { bytes in
      for index in bytes.indices {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: state >> 56)
      }
    }
    return try DecodedImage(bitmap: bitmap).encoded(as: .png)
  }

  private static func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// The bytes by which the memory of the process grows with clients that read the beginning of a response only.
  private func growth(_ paths: [String], _ service: RunningService) async throws -> Int {
    let before = try Self.residentByteCount()
    let port = UInt16(service.port)
    return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            var connections: [RawConnection] = []
            for path in paths {
              let connection = try RawConnection(toPort: Int(port))
              connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
              connections.append(connection)
            }
            for connection in connections { try connection.readBeginning() }
            return try withExtendedLifetime(connections) { try Self.residentByteCount() - before }
          })
      }
    }
  }

  @Test(arguments: ["", "cb:"])
  func `300 clients that do not read a cached result take its memory once`(option: String) async throws {
    try await RunningService.run { service, origin in
      let headers: HeaderFields = ["Cache-Control": "max-age=1000", "Content-Type": "image/png"]
      let source = origin.serve("/noise.png", .body(try Self.noise(), headers: headers))
      let first = try await service.image("raw:1", of: source, as: nil)
      #expect(first.status == 200 && first.body.count > 2_900_000)
      let paths = (0..<300).map { index in
        "/_/raw:1/\(option.isEmpty ? "" : "\(option)\(index)/")plain/\(source.absoluteString)"
      }
      let growth = try await growth(paths, service)
      #expect(growth < 150 << 20, "\(growth >> 20) MB")
    }
  }
}
