#if AVIF || HEIF
import HalcyonImaging

/// A decoded picture in planes that belong to a codec, before its colours are converted.
struct SamplePlanes {
  struct Plane {
    let start: UnsafeRawPointer
    let bytesPerRow: Int
    /// How many times the plane was halved.
    var shiftX = 0
    var shiftY = 0
  }

  let size: PixelSize
  let channels: PlaneFormat.Channels
  /// Those of colour, then that of alpha where there is one.
  let planes: [Plane]
  let coding: SampleCoding
  /// As the file says it.
  let color: ColorCoding

  /// - Parameters:
  ///   - colors: Luma and two colour differences; luma alone; or, where the matrix is 0, green, blue and red.
  ///   - alpha: As large as the picture.
  /// - Throws: `ImageDecodingError.unsupportedFeature` where the colours are coded as nobody codes pictures.
  init(
    size: PixelSize, colors: [Plane], alpha: Plane?, color: ColorCoding, coding: SampleCoding, format: ImageFormat
  ) throws(ImageDecodingError) {
    var coding = coding
    coding.isFullRange = color.isFullRange
    if color.isHighDynamicRange {
      coding.highDynamicRange = SampleCoding.HighDynamicRange(
        primaries: color.wellKnownPrimaries, transfer: color.transfer)
    }
    coding.matrix = color.matrix == ColorCoding.unspecified ? ColorCoding.bt601Matrix : color.matrix
    self.size = size
    self.coding = coding
    self.color = color
    let isGrey = colors.count == 1
    if !isGrey, coding.matrix == 0 {
      channels = .rgb
      planes = [colors[2], colors[0], colors[1]] + (alpha.map { [$0] } ?? [])
    } else if isGrey, coding.alpha != .none || color.isHighDynamicRange {
      channels = .rgb
      planes = [colors[0], colors[0], colors[0]] + (alpha.map { [$0] } ?? [])
    } else {
      guard isGrey || color.hasPlainMatrix || color.isHighDynamicRange else {
        throw .unsupportedFeature(format, feature: "the matrix coefficients \(color.matrix) of ITU-T H.273")
      }
      channels = isGrey ? .grey : .yCbCr(shiftX: colors[1].shiftX, shiftY: colors[1].shiftY)
      planes = colors + (alpha.map { [$0] } ?? [])
    }
  }

  var hasAlpha: Bool { coding.alpha != .none }
}

extension ColorCoding {
  /// Whether the matrix takes nothing but itself to be undone: not one for linear light or for derived primaries.
  fileprivate var hasPlainMatrix: Bool { [1, 2, 4, 5, 6, 7, 8, 9].contains(matrix) }

  fileprivate var wellKnownPrimaries: Int { primaries == Self.unspecified ? 9 : primaries }
}
#endif
