#if AVIF || HEIF
import HalcyonImaging

/// The part of a coded picture that is shown (`clap`; ISO/IEC 14496-12, 12.1.4).
struct CleanAperture: Equatable {
  var x: Int
  var y: Int
  var size: PixelSize

  /// All of a picture.
  init(whole size: PixelSize) {
    x = 0
    y = 0
    self.size = size
  }

  /// `nil` where the box does not name whole pixels inside the picture.
  init?(_ box: Bytes, inside size: PixelSize) {
    let values = stride(from: 0, to: 32, by: 4).compactMap { box.unsigned32(at: $0) }
    guard values.count == 8, stride(from: 1, to: 8, by: 2).allSatisfy({ values[$0] > 0 }),
      values[0] % values[1] == 0, values[2] % values[3] == 0
    else { return nil }
    let shown = PixelSize(width: values[0] / values[1], height: values[2] / values[3])
    guard shown.width > 0, shown.height > 0, shown.width <= size.width, shown.height <= size.height else { return nil }
    func origin(_ rest: Int, _ numerator: Int, _ denominator: Int) -> Int {
      // The offset is that of the centre, and may be negative.
      Int((Double(rest) / 2 + Double(Int32(truncatingIfNeeded: numerator)) / Double(denominator)).rounded(.down))
    }
    x = origin(size.width - shown.width, values[4], values[5])
    y = origin(size.height - shown.height, values[6], values[7])
    guard x >= 0, y >= 0, x + shown.width <= size.width, y + shown.height <= size.height else { return nil }
    self.size = shown
  }
}
#endif
