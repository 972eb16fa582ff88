import HalcyonImaging
import Foundation

/// A frame of an animated WebP file (RFC 9649, 2.7.1.1).
struct WebPFrame {
  let area: PixelArea
  let duration: Duration
  let disposal: FrameDisposal
  let isBlended: Bool
  /// The chunks of its image.
  let chunks: Range<Int>

  /// `nil` if the chunk is too short.
  init?(_ chunk: Range<Int>, in bytes: Bytes) {
    let content = bytes[chunk]
    guard let x = content.unsigned24(at: 0), let y = content.unsigned24(at: 3), let width = content.unsigned24(at: 6),
      let height = content.unsigned24(at: 9), let milliseconds = content.unsigned24(at: 12), let flags = content[15]
    else { return nil }
    area = PixelArea(left: x * 2, top: y * 2, width: width + 1, height: height + 1)
    duration = .milliseconds(milliseconds)
    disposal = flags & 1 == 1 ? .clear : .keep
    isBlended = flags & 2 == 0
    chunks = chunk.lowerBound + 16..<chunk.upperBound
  }
}

/// The frames of an animated WebP file in order, each decoded as a file of its own.
final class WebPFrameSource: FrameSource {
  private let file: FileBytes
  private let decode: (WebPFrame) throws -> Bitmap
  private let count: Int
  private var chunks: WebPChunks
  private var nextIndex = 0

  /// - Parameter count: The number of frames that are expected.
  init(_ file: FileBytes, count: Int, decode: @escaping (WebPFrame) throws -> Bitmap) {
    self.file = file
    self.count = count
    self.decode = decode
    chunks = WebPChunks(Bytes(file.buffer))
  }

  func next() throws -> AnimationPatch? {
    while nextIndex < count {
      guard let chunk = chunks.next() else { throw ImageDecodingError.truncated(.webp) }
      guard chunk.name == "ANMF" else { continue }
      nextIndex += 1
      guard let frame = WebPFrame(chunk.content, in: Bytes(file.buffer)) else {
        throw ImageDecodingError.corrupt(.webp, reason: "a frame of its animation is too short")
      }
      return AnimationPatch(
        area: frame.area, disposal: frame.disposal, isBlended: frame.isBlended, duration: frame.duration
      ) { [decode] in BitmapRowSource(try decode(frame)) }
    }
    return nil
  }

  func rewind() { (chunks, nextIndex) = (WebPChunks(Bytes(file.buffer)), 0) }
}

/// A WebP file with the image of one frame of an animation.
enum WebPFrameFile {
  /// - Parameters:
  ///   - chunks: The chunks of the frame.
  ///   - profile: The ICC profile of the animation.
  static func data(
    _ bytes: UnsafeRawBufferPointer, chunks: Range<Int>, size: PixelSize, profile: Range<Int>?
  ) -> Data {
    let image = Data(bytes[chunks.clamped(to: 0..<bytes.count)])
    let profile = profile.map { Data(bytes[$0.clamped(to: 0..<bytes.count)]) } ?? Data()
    let hasAlpha = image.starts(with: "ALPH".utf8)
    var content = Data()
    // Alpha beside a lossy image, and a profile, need the extended format.
    if hasAlpha || !profile.isEmpty {
      content += WebPChunks.extendedHeader(flags: (hasAlpha ? 0x10 : 0) | (profile.isEmpty ? 0 : 0x20), size: size)
    }
    if !profile.isEmpty { content += WebPChunks.encoded("ICCP", profile) }
    return WebPChunks.file(content + image)
  }
}
