import Foundation
import Halcyon
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// URLs as the `imgproxy` client of PyPI (1.0.0) makes them, with a key and a salt of 8 bytes.
@Suite(.integrationTest)
struct ClientURLTests {
  static let cases: [(path: String, type: String, size: PixelSize)] = [
    (
      "/nq0feeNiYitbnRnUqIKt0A0AxSGVdOIrcDOjnLQf97Q/g:no/rs:fill:30:20:0/bG9jYWw6Ly8vY2F0LnBuZw.webp", "image/webp",
      PixelSize(width: 30, height: 20)
    ),
    (
      "/69sMMEYWo5hGEdtrtrzwBukHRuE5pS9I_ilOz0GoyHI/blur:1/q:70/g:ce/rs:auto:40:0:0/bG9jYWw6Ly8vY2F0LnBuZw",
      "image/png",
      PixelSize(width: 40, height: 30)
    ),
    (
      """
      /6XOv20znqG7gWi3BkRipM5Yu9fetli2xvY6Vda8xXME/bg:ff0000/g:soea/rs:fit:160:160:1/bG9jYWw6Ly8vY2F0LnBuZw.png
      """, "image/png", PixelSize(width: 160, height: 120)
    ),
    (
      """
      /q6TGfyXrp5DUGBbEc7kRv0YbXhdWGHZ9v_6L_Gs1w5I/g:ce/rs:auto:20:20:0/bG9jYWw6Ly8vc3VtbWVyIHBpY3R1cmVzL8OkLnBuZw.jpg
      """, "image/jpeg", PixelSize(width: 20, height: 20)
    ),
  ]

  @Test func `signed URLs of a client are served, and tampered ones refused`() async throws {
    try await TemporaryDirectory.run { folder in
      let subfolder = folder.appending(path: "summer pictures", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: subfolder, withIntermediateDirectories: true)
      try Quadrants.png().write(to: folder.appending(path: "cat.png"))
      try Quadrants.png(width: 60, height: 60).write(to: subfolder.appending(path: "ä.png"))
      let pair = URLSigner.KeyPair(
        key: Data([0x94, 0x3b, 0x42, 0x1c, 0x9e, 0xb0, 0x7c, 0x83]),
        salt: Data([0x52, 0x0f, 0x98, 0x6b, 0x99, 0x85, 0x45, 0xb4]))
      try await RunningService.run {
        ($0.isInsecure, $0.keyPairs, $0.localRoot) = (false, [pair], folder)
      } body: { service, _ async throws in
        for expected in Self.cases {
          let answer = try await service.get(expected.path)
          #expect(answer.status == 200 && answer.headers["Content-Type"] == expected.type, "\(expected.path)")
          #expect(try answer.bitmap().size == expected.size)
          for index in Self.tamperedPositions(of: expected.path) {
            var characters = Array(expected.path)
            characters[index] = characters[index] == "1" ? "2" : "1"
            #expect(try await service.get(String(characters)).status == 403, "\(String(characters))")
          }
          #expect(try await service.get(expected.path + "2").status == 403)
          #expect(try await service.get(String(expected.path.dropLast(1))).status == 403)
        }
      }
    }
  }

  /// Every seventh character but slashes; the last character of a signature has bits without meaning.
  private static func tamperedPositions(of path: String) -> [Int] {
    path.enumerated().filter { $0.offset % 7 == 1 && $0.element != "/" && $0.offset != 43 }.map(\.offset)
  }
}
