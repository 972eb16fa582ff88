#if AVIF || HEIF
import Foundation
import HalcyonImaging

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
  /// The colour coding in the container, which overrides that in the codec's bitstream.
  var color: ColorCoding?
  var colorProfile: Data?
  var frameCount = 1
  var loopCount: Int?
  var droppedContent: Set<DroppedContent> = []

  /// The header of the same image after it has been cropped and rotated.
  var transformed: HEIFImageHeader {
    var header = self
    header.codedSize = orientation.swapsAxes ? aperture.size.transposed : aperture.size
    header.aperture = CleanAperture(whole: header.codedSize)
    header.orientation = .up
    return header
  }

  func info(_ format: ImageFormat) -> ImageInfo {
    ImageInfo(
      format: format, storedSize: aperture.size, orientation: orientation, hasAlpha: hasAlpha, frameCount: frameCount,
      colorModel: isGrey ? .grey : color?.matrix == 0 ? .rgb : .yCbCr, bitDepth: bitDepth,
      hasColorProfile: colorProfile != nil, droppedContent: droppedContent)
  }
}

extension HEIFImageHeader {
  /// Applies one item property.
  mutating func apply(_ property: Box) {
    let content = property.content
    switch property.type {
    case "av1C": readAV1(content)
    case "hvcC": readHEVC(content)
    case "pixi": bitDepth = content[5].map(Int.init) ?? bitDepth
    case "colr": readColor(content)
    case "clap": aperture = CleanAperture(content, inside: codedSize) ?? aperture
    case "irot": rotate(quarterTurns: Int((content[0] ?? 0) & 3))
    case "imir": mirror(leftToRight: (content[0] ?? 0) & 1 == 1)
    default: break
    }
  }

  /// Reads an AV1 codec configuration (AV1-ISOBMFF, 2.3.3).
  private mutating func readAV1(_ content: Bytes) {
    guard let flags = content[2] else { return }
    bitDepth = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
    isGrey = flags & 0x10 != 0
  }

  /// Reads an HEVC decoder configuration (ISO/IEC 14496-15, 8.3.3.1).
  private mutating func readHEVC(_ content: Bytes) {
    guard let chroma = content[16], let depth = content[17] else { return }
    isGrey = chroma & 3 == 0
    bitDepth = 8 + Int(depth & 7)
  }

  private mutating func readColor(_ content: Bytes) {
    switch content.text(at: 0, count: 4) {
    case "nclx":
      guard let primaries = content.unsigned16(at: 4), let transfer = content.unsigned16(at: 6),
        let matrix = content.unsigned16(at: 8), let range = content[10]
      else { return }
      color = ColorCoding(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
    case "prof", "rICC": colorProfile = Data((4..<max(4, content.count)).compactMap { content[$0] })
    default: break
    }
  }

  /// - Parameter quarterTurns: The anticlockwise quarter turns that make the image upright.
  private mutating func rotate(quarterTurns: Int) {
    for _ in 0..<quarterTurns { orientation = orientation.rotatedAnticlockwise }
  }

  private mutating func mirror(leftToRight: Bool) {
    orientation =
      leftToRight
      ? orientation.flippedHorizontally : orientation.flippedHorizontally.rotatedAnticlockwise.rotatedAnticlockwise
  }
}

extension ImageOrientation {
  /// This orientation followed by a quarter turn anticlockwise.
  fileprivate var rotatedAnticlockwise: ImageOrientation {
    switch self {
    case .up: .left
    case .left: .down
    case .down: .right
    case .right: .up
    case .upMirrored: .leftMirrored
    case .leftMirrored: .downMirrored
    case .downMirrored: .rightMirrored
    case .rightMirrored: .upMirrored
    }
  }

  /// This orientation followed by a horizontal flip.
  fileprivate var flippedHorizontally: ImageOrientation {
    switch self {
    case .up: .upMirrored
    case .upMirrored: .up
    case .down: .downMirrored
    case .downMirrored: .down
    case .left: .rightMirrored
    case .rightMirrored: .left
    case .right: .leftMirrored
    case .leftMirrored: .right
    }
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
  fileprivate init?(_ box: Bytes, inside size: PixelSize) {
    let values = stride(from: 0, to: 32, by: 4).compactMap { box.unsigned32(at: $0) }
    guard values.count == 8, stride(from: 1, to: 8, by: 2).allSatisfy({ values[$0] > 0 }),
      values[0] % values[1] == 0, values[2] % values[3] == 0
    else { return nil }
    let shown = PixelSize(width: values[0] / values[1], height: values[2] / values[3])
    guard shown.width > 0, shown.height > 0, shown.width <= size.width, shown.height <= size.height else { return nil }
    func origin(_ rest: Int, _ numerator: Int, _ denominator: Int) -> Int {
      // The offset is that of the centre, and can be negative.
      Int((Double(rest) / 2 + Double(Int32(truncatingIfNeeded: numerator)) / Double(denominator)).rounded(.down))
    }
    x = origin(size.width - shown.width, values[4], values[5])
    y = origin(size.height - shown.height, values[6], values[7])
    guard x >= 0, y >= 0, x + shown.width <= size.width, y + shown.height <= size.height else { return nil }
    self.size = shown
  }
}

/// How sample values represent colours, in the code points of ITU-T H.273.
struct ColorCoding: Equatable {
  static let bt709 = 1
  static let unspecified = 2
  static let bt601Matrix = 6

  var primaries = ColorCoding.unspecified
  var transfer = ColorCoding.unspecified
  var matrix = ColorCoding.unspecified
  /// Whether black is 0 and white is the largest value (full range, not limited range).
  var isFullRange = true

  /// Whether the transfer function is PQ or hybrid log-gamma, with values above reference white.
  var isHighDynamicRange: Bool { transfer == 16 || transfer == 18 }
}
#endif
