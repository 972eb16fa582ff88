import HalcyonSupport
package import Foundation

@testable package import HalcyonImaging

/// A decoder of a generated animation, in which the first pixel of each frame encodes the frame's number.
package final class NumberedFramesDecoder: AnimatedImageDecoder {
  /// The bytes of a frame of one pixel.
  package static let frameByteCount = 4

  package let formats: Set<ImageFormat> = [.gif]
  package let frameCount: Int
  private let size: PixelSize
  private let damagedIndex: Int?
  private let beforeDecode: @Sendable (Int) -> Void
  private let record = Lock(Record())

  private struct Record: Sendable {
    var decoded: [Int] = []
    var openCount = 0
    var bitmaps: [WeakBitmap] = []
  }

  /// - Parameter beforeDecode: Called with the number of a frame on the thread that decodes it.
  package init(
    frameCount: Int, size: PixelSize = PixelSize(width: 1, height: 1), damagedIndex: Int? = nil,
    beforeDecode: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.frameCount = frameCount
    self.size = size
    self.damagedIndex = damagedIndex
    self.beforeDecode = beforeDecode
  }

  /// The numbers of the frames decoded so far, in order.
  package var decoded: [Int] { record.withLock { $0.decoded } }

  /// The number of frame readers opened.
  package var openCount: Int { record.withLock { $0.openCount } }

  /// The number of frames currently in memory.
  package var inMemoryCount: Int {
    record.withLock { record in
      record.bitmaps.removeAll { $0.bitmap == nil }
      return record.bitmaps.count
    }
  }

  package func image() throws -> AnimatedImage {
    try AnimatedImage(data: Data(), info: info, decoder: self, options: DecodingOptions())
  }

  package func frames(byteLimit: Int = 1 << 20) throws -> AnimationFrames {
    try image().makeFrames(byteLimit: byteLimit)
  }

  package func probe(_ bytes: Data, isComplete: Bool) -> ImageInfo? { info }

  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    DecodedImage(bitmap: try numberedFrame(0).bitmap, info: info)
  }

  package func frameReader(for bytes: Data, options: DecodingOptions) -> any ImageFrameReader {
    record.withLock { $0.openCount += 1 }
    return Reader(decoder: self)
  }

  private var info: ImageInfo {
    ImageInfo(format: .gif, storedSize: size, frameCount: frameCount, droppedContent: [.frames])
  }

  fileprivate func numberedFrame(_ index: Int) throws -> AnimationFrame {
    beforeDecode(index)
    if index == damagedIndex { throw ImageDecodingError.corrupt(.gif, reason: "frame \(index) is damaged") }
    let bitmap = try Bitmap(size: size, isOpaque: true) { pixels in
      pixels.copyBytes(from: [UInt8(index & 255), UInt8(index >> 8), 0, 255])
    }
    record.withLock { record in
      record.decoded.append(index)
      record.bitmaps.append(WeakBitmap(bitmap))
    }
    return AnimationFrame(bitmap: bitmap, duration: .milliseconds(40))
  }

  private final class Reader: ImageFrameReader {
    let decoder: NumberedFramesDecoder
    var next = 0

    init(decoder: NumberedFramesDecoder) {
      self.decoder = decoder
    }

    var animation: AnimationInfo { AnimationInfo(frameCount: decoder.frameCount, loopCount: nil) }

    func nextFrame() throws -> AnimationFrame? {
      guard next < decoder.frameCount else { return nil }
      defer { next += 1 }
      return try decoder.numberedFrame(next)
    }

    func rewind() { next = 0 }
  }
}

extension AnimationFrame {
  /// The number that a frame of a ``NumberedFramesDecoder`` encodes.
  package var number: Int { Int(bitmap[0, 0].red) | Int(bitmap[0, 0].green) << 8 }
}
