import HalcyonImaging

/// What the first directory of a TIFF file tells (TIFF 6.0).
struct TIFFHeader {
  /// Values of the tag PhotometricInterpretation.
  enum Photometric {
    static let greys = [0, 1]
    static let palette = 3
    static let inks = 5
    static let yCbCr = 6
  }

  var size = PixelSize(width: 0, height: 0)
  var bitDepth = 1
  var compression = 1
  var photometric = 1
  var orientation = ImageOrientation.up
  var hasAlpha = false
  /// Where the ICC profile lies.
  var profile: Range<Int>?
  var hasFurtherPages = false

  var info: ImageInfo {
    ImageInfo(
      format: .tiff, storedSize: size, orientation: orientation, hasAlpha: hasAlpha, colorModel: colorModel,
      bitDepth: bitDepth, hasColorProfile: profile != nil, droppedContent: hasFurtherPages ? [.pages] : [])
  }

  var isGrey: Bool { Photometric.greys.contains(photometric) }

  private var colorModel: ColorModel {
    switch photometric {
    case let value where Photometric.greys.contains(value): .grey
    case Photometric.palette: .palette
    case Photometric.inks: .cmyk
    case Photometric.yCbCr: .yCbCr
    default: .rgb
    }
  }
}
