import HalcyonCodecs
import HalcyonImaging
import HalcyonSupport
import HalcyonTestTraits
import Testing

/// Processors and encoders on a thread whose work was cancelled.
@Suite(.unitTest)
struct CancelledWorkTests {
  private static let processors: [any ImageProcessor] = [
    .blur(radius: 2), .brightness(0.5), .circle(), .contrast(2), .exposure(stops: 1), .flip(.horizontal), .invert,
    .overlay(.white), .pixelate(blockSize: 4), .resize(.exact(width: 90, height: 90)), .rotate(degrees: 30),
    .rotate(degrees: 90), .rotate(degrees: 180), .roundedCorners(radius: 4), .saturation(0.5), .sharpen(),
    .tint(.white),
  ]

  private func bitmap() throws -> Bitmap {
    try Bitmap.painted(60, 40, isOpaque: false) { column, row in Color(column, row, 0, 128) }
  }

  @Test func `processors end with the work that they are part of`() throws {
    let (bitmap, flag) = (try bitmap(), CancellationFlag())
    let processors = Self.processors + [.watermark(bitmap)]
    for processor in processors { _ = try flag.asCurrent { try processor.process(bitmap) } }
    flag.cancel()
    for processor in processors {
      #expect(throws: CancellationError.self, "\(processor.identifier)") {
        try flag.asCurrent { try processor.process(bitmap) }
      }
    }
  }

  // The system's encoders cannot be interrupted.
  #if !IMAGEIO
  @Test func `encoders end with the work that they are part of`() throws {
    let (bitmap, flag) = (try bitmap(), CancellationFlag())
    flag.cancel()
    for encoder in StandardCodecs.encoders {
      #expect(throws: CancellationError.self, "\(encoder.format)") {
        try flag.asCurrent { try encoder.encode(bitmap, options: EncodingOptions()) }
      }
    }
  }

  @Test func `encoders of animations end between two frames`() throws {
    let bitmap = try bitmap()
    for encoder in StandardCodecs.encoders.compactMap({ $0 as? any AnimatedImageEncoder }) {
      let flag = CancellationFlag()
      var frameCount = 0
      #expect(throws: CancellationError.self, "\(encoder.format)") {
        try flag.asCurrent {
          try encoder.encode(AnimationInfo(frameCount: 3, loopCount: nil), options: EncodingOptions()) {
            frameCount += 1
            if frameCount == 2 { flag.cancel() }
            return AnimationFrame(bitmap: bitmap, duration: .milliseconds(100))
          }
        }
      }
      #expect(frameCount == 2)
    }
  }
  #endif
}
