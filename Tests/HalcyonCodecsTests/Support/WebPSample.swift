import Foundation
import HalcyonImaging

/// WebP animations that no encoder writes.
enum WebPSample {
  /// A file whose header has no flag of alpha.
  ///
  /// - Parameter other: The content of a chunk before the frames.
  static func animation(_ frames: [[UInt8]], canvas: PixelSize, after other: [UInt8] = []) -> Data {
    var content = Array("WEBP".utf8)
    content += chunk("VP8X", [2, 0, 0, 0] + bytes(canvas.width - 1, 3) + bytes(canvas.height - 1, 3))
    content += chunk("ANIM", [0, 0, 0, 0, 0, 0])
    if !other.isEmpty { content += chunk("JUNK", other) }
    for frame in frames { content += frame }
    return Data(Array("RIFF".utf8) + bytes(content.count, 4) + content)
  }

  /// A frame in the corner of the canvas, of 100 milliseconds.
  ///
  /// - Parameters:
  ///   - image: Its chunks.
  ///   - flags: 1 clears it afterwards, 2 replaces what is below it.
  static func frame(of image: Data, _ size: PixelSize, flags: UInt8 = 0) -> [UInt8] {
    let sides = bytes(size.width - 1, 3) + bytes(size.height - 1, 3)
    return chunk("ANMF", bytes(0, 6) + sides + bytes(100, 3) + [flags] + image)
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + bytes(content.count, 4) + content + [UInt8](repeating: 0, count: content.count % 2)
  }

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    FileSurgery.bytes(value, count: count).reversed()
  }
}
