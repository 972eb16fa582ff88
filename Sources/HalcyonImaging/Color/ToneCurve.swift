import Foundation

/// The reference white tone mapping operator of SMPTE ST 2094-50, annex C, for displays without high dynamic range.
///
/// Luminances are relative to reference white. The curve is straight up to reference white, and bends above it to reach
/// 1 at the peak of the content: a quadratic Bézier curve that continues the line. Browsers use the same operator.
struct ToneCurve {
  /// The position of the middle control point, as a share of the way from the knee to where the line reaches 1.
  private static let bend = 0.65

  private let peak: Double
  private let white: Double

  /// - Parameter peak: The brightest luminance of the content in cd/m².
  init(peak: Double) {
    self.peak = peak / HighDynamicRange.referenceWhite
    let headroom = log2(self.peak) / log2(HighDynamicRange.defaultPeak / HighDynamicRange.referenceWhite)
    white = 1 - 0.5 * min(max(headroom, 0), 1)
  }

  /// The factor for a luminance.
  func gain(_ luminance: Double) -> Double {
    guard peak > 1 else { return 1 }
    guard luminance > 1 else { return white }
    guard luminance < peak else { return 1 / luminance }
    let middle = (x: 1 - Self.bend + Self.bend / white, y: (1 - Self.bend) * white + Self.bend)
    let (square, linear) = (1 - 2 * middle.x + peak, 2 * (middle.x - 1))
    let offset = luminance - 1
    let position = 2 * offset / (linear + (linear * linear + 4 * square * offset).squareRoot())
    let rest = 1 - position
    return (white * rest * rest + 2 * middle.y * position * rest + position * position) / luminance
  }
}
