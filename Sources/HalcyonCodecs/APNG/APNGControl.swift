import HalcyonImaging

/// What the chunk `fcTL` says about a picture (PNG, third edition, 11.3.6.2).
struct APNGControl {
  let area: PixelArea
  let duration: Duration
  let disposal: FrameDisposal
  let isBlended: Bool

  init(_ content: Bytes) throws(ImageDecodingError) {
    guard let width = content.unsigned32(at: 4), let height = content.unsigned32(at: 8),
      let x = content.unsigned32(at: 12), let y = content.unsigned32(at: 16),
      let numerator = content.unsigned16(at: 20), let denominator = content.unsigned16(at: 22),
      let disposal = content[24], let blend = content[25]
    else { throw .corrupt(.png, reason: "the control of a picture is too short") }
    area = PixelArea(x: x, y: y, size: PixelSize(width: width, height: height))
    duration = .microseconds(numerator * 1_000_000 / (denominator == 0 ? 100 : denominator))
    self.disposal = [1: .clear, 2: .restore][disposal] ?? .keep
    isBlended = blend == 1
  }
}
