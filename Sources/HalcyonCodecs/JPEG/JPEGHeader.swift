import HalcyonImaging

/// What the markers before the first scan of a JPEG file tell.
struct JPEGHeader {
  var size = PixelSize(width: 0, height: 0)
  var precision = 0
  var componentIDs: [UInt8] = []
  var orientation: ImageOrientation?
  var profileParts: [JPEGProfilePart] = []
  var hasJFIF = false
  /// The colour transform of Adobe's APP14 marker: 0 none, 1 YCbCr, 2 YCCK.
  var adobeTransform: UInt8?

  var info: ImageInfo {
    ImageInfo(
      format: .jpeg, storedSize: size, orientation: orientation ?? .up, colorModel: colorModel,
      bitDepth: precision, hasColorProfile: !profileParts.isEmpty)
  }

  /// The rules by which libjpeg guesses what the components mean.
  var colorModel: ColorModel {
    switch componentIDs.count {
    case 1: .grey
    case 4: .cmyk
    default: isRGB ? .rgb : .yCbCr
    }
  }

  private var isRGB: Bool {
    if hasJFIF { return false }
    if let adobeTransform { return adobeTransform == 0 }
    return componentIDs == Array("RGB".utf8)
  }
}
