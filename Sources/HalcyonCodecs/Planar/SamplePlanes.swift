#if (AVIF || HEIF) && !IMAGEIO
import HalcyonImaging

/// A decoded image in planes owned by a codec, before colour conversion.
struct SamplePlanes {
  struct Plane {
    let start: UnsafeRawPointer
    let bytesPerRow: Int
    /// The binary logarithm of the subsampling.
    var shiftX = 0
    var shiftY = 0
  }

  let size: PixelSize
  let channels: PlaneFormat.Channels
  /// The colour planes, then the alpha plane if there is one.
  let planes: [Plane]
  let coding: SampleCoding
  /// The colour coding that the file states.
  let color: ColorCoding

  /// - Parameters:
  ///   - colors: Luma and two chroma planes; luma alone; or, if the matrix is 0, green, blue and red.
  ///   - alpha: A plane as large as the image.
  /// - Throws: `ImageDecodingError.unsupportedFeature` for matrix coefficients that still images do not use.
  init(
    size: PixelSize, colors: [Plane], alpha: Plane?, color: ColorCoding, coding: SampleCoding, format: ImageFormat
  ) throws(ImageDecodingError) {
    var coding = coding
    coding.isFullRange = color.isFullRange
    coding.highDynamicRange = color.highDynamicRange
    coding.matrix = color.matrix == ColorCoding.unspecified ? ColorCoding.bt601Matrix : color.matrix
    self.size = size
    self.coding = coding
    self.color = color
    let isGrey = colors.count == 1
    if !isGrey, coding.matrix == 0 {
      channels = .rgb
      planes = [colors[2], colors[0], colors[1]] + (alpha.map { [$0] } ?? [])
    } else if isGrey, coding.alpha != .none || coding.highDynamicRange != nil {
      channels = .rgb
      planes = [colors[0], colors[0], colors[0]] + (alpha.map { [$0] } ?? [])
    } else {
      guard isGrey || color.hasPlainMatrix || coding.highDynamicRange != nil && color.hasWideMatrix else {
        throw .unsupportedFeature(format, feature: "the matrix coefficients \(color.matrix) of ITU-T H.273")
      }
      channels = isGrey ? .grey : .yCbCr(shiftX: colors[1].shiftX, shiftY: colors[1].shiftY)
      planes = colors + (alpha.map { [$0] } ?? [])
    }
  }

  var hasAlpha: Bool { coding.alpha != .none }
}

extension ColorCoding {
  /// Whether the matrix applies to gamma-encoded values and does not depend on the primaries.
  fileprivate var hasPlainMatrix: Bool { [1, 2, 4, 5, 6, 7, 8, 9].contains(matrix) }

  /// Whether the matrix depends on the primaries or on the transfer function, which is supported with high dynamic
  /// range only.
  fileprivate var hasWideMatrix: Bool { [12, 13, 14].contains(matrix) }
}
#endif
