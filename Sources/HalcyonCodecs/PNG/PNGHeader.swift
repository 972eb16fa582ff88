import HalcyonImaging

/// What the chunks before the pixels of a PNG file tell.
struct PNGHeader {
  /// The colour types of ISO/IEC 15948, table 11.1.
  enum ColorType: UInt8 {
    case grey = 0
    case rgb = 2
    case palette = 3
    case greyAlpha = 4
    case rgba = 6
  }

  var size = PixelSize(width: 0, height: 0)
  var bitDepth = 0
  var colorType = ColorType.rgb
  var isInterlaced = false
  var hasTransparentColor = false
  var orientation: ImageOrientation?
  var color = PNGColor()
  var frameCount = 1

  var hasAlpha: Bool { hasTransparentColor || colorType == .greyAlpha || colorType == .rgba }

  var info: ImageInfo {
    ImageInfo(
      format: .png, storedSize: size, orientation: orientation ?? .up, hasAlpha: hasAlpha, frameCount: frameCount,
      colorModel: colorModel, bitDepth: bitDepth, hasColorProfile: color.profile != nil,
      droppedContent: frameCount > 1 ? [.frames] : [])
  }

  var isGrey: Bool { colorType == .grey || colorType == .greyAlpha }

  private var colorModel: ColorModel {
    switch colorType {
    case .grey, .greyAlpha: .grey
    case .rgb, .rgba: .rgb
    case .palette: .palette
    }
  }
}
