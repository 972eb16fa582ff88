import Foundation
import HalcyonImaging
import HalcyonSupport

/// The header of the primary image or the image sequence of an AVIF or HEIC file.
struct HEIFImageHeader {
  /// The size of the coded image, before the clean aperture is applied.
  var codedSize: PixelSize
  var aperture: CleanAperture
  var orientation = ImageOrientation.up
  var hasAlpha = false
  var isAlphaPremultiplied = false
  var isGrey = false
  var bitDepth = 8
  /// The colour coding in the container, which overrides the one in the codec's bitstream.
  var color: ColorCoding?
  var colorProfile: Data?
  var light = ContentLight()
  var frameCount = 1
  var loopCount: Int?
  var frameDurations = FrameDurationRuns(media: nil)
  var droppedContent: Set<DroppedContent> = []
  /// How the file describes its gain map, if it has one.
  var gainMap: GainMapKind?

  /// The header of the same image after it has been cropped and rotated.
  var transformed: HEIFImageHeader {
    var header = self
    header.codedSize = orientation.swapsAxes ? aperture.size.transposed : aperture.size
    header.aperture = CleanAperture(whole: header.codedSize)
    header.orientation = .up
    return header
  }

  /// The signal of an image in a colour coding; `nil` if it is not high dynamic range.
  func highDynamicRange(of color: ColorCoding) -> HighDynamicRange? { color.highDynamicRange?.with(light) }

  /// The source colour space; `nil` for sRGB, and for high dynamic range, which is mapped while it is resampled.
  func description(of color: ColorCoding) -> ColorDescription? {
    guard color.highDynamicRange == nil else { return nil }
    if let colorProfile { return .profile(colorProfile) }
    guard let primaries = Chromaticities(cicp: color.primaries),
      let curve = TransferCurve(cicp: color.transfer), primaries != .bt709 || curve != .sRGB
    else { return nil }
    return .display(primaries, curve)
  }

  /// Whether the container states a wider gamut than sRGB. The codec's bitstream is not read.
  var isWide: Bool {
    let color = color ?? ColorCoding()
    return color.highDynamicRange?.chromaticities.isWide ?? description(of: color)?.isWide ?? false
  }

  func info(_ format: ImageFormat) -> ImageInfo {
    ImageInfo(
      format: format, storedSize: aperture.size, orientation: orientation, hasAlpha: hasAlpha, frameCount: frameCount,
      colorModel: isGrey ? .grey : color?.matrix == 0 ? .rgb : .yCbCr, bitDepth: bitDepth,
      hasColorProfile: colorProfile != nil, droppedContent: droppedContent, dynamicRange: dynamicRange)
  }

  private var dynamicRange: EncodedDynamicRange {
    color?.highDynamicRange?.transfer.range ?? gainMap.map { .gainMap($0, headroom: nil) } ?? .standard
  }
}

/// The part of a coded image that is shown (`clap`; ISO/IEC 14496-12, 12.1.4).
struct CleanAperture: Equatable {
  var x: Int
  var y: Int
  var size: PixelSize

  /// The whole image.
  init(whole size: PixelSize) {
    x = 0
    y = 0
    self.size = size
  }

  /// `nil` unless the box describes whole pixels inside the coded image.
  init?(_ box: Bytes, inside size: PixelSize) {
    let values = stride(from: 0, to: 32, by: 4).compactMap { box.bits32(at: $0).map { Int64($0) } }
    guard values.count == 8, stride(from: 1, to: 8, by: 2).allSatisfy({ values[$0] > 0 }),
      values[0] % values[1] == 0, values[2] % values[3] == 0
    else { return nil }
    let shown = PixelSize(width: Int(clamping: values[0] / values[1]), height: Int(clamping: values[2] / values[3]))
    guard shown.width > 0, shown.height > 0, shown.width <= size.width, shown.height <= size.height else { return nil }
    func origin(_ rest: Int, _ numerator: Int64, _ denominator: Int64) -> Int {
      // The offset moves the centre, and can be negative.
      let offset = Double(Int32(truncatingIfNeeded: numerator)) / Double(denominator)
      return Int(clamping: (Double(rest) / 2 + offset).rounded(.down))
    }
    x = origin(size.width - shown.width, values[4], values[5])
    y = origin(size.height - shown.height, values[6], values[7])
    guard (0...size.width - shown.width).contains(x), (0...size.height - shown.height).contains(y) else { return nil }
    self.size = shown
  }
}
