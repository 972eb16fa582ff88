import HalcyonImaging
import Foundation

/// The colour space chunks of a PNG file (PNG, third edition, 11.3.2).
struct PNGColor {
  static let chunkNames: Set<String> = [
    "iCCP", "sRGB", "gAMA", "cHRM", "cICP", "cLLI", "cLLi", "mDCV", "mDCv",
  ]

  /// The relative distance from 1/2.2 below which a gamma is treated as sRGB, whose curve it approximates. Browsers do so
  /// without `cHRM` only.
  private static let gammaTolerance = 0.05
  /// The valid gammas; others are ignored.
  private static let validGammas = 0.1...10.0

  /// The content of the `iCCP` chunk in the file.
  private(set) var profile: Range<Int>?
  private(set) var isSRGB = false
  private var gamma: Double?
  private var chromaticities: Chromaticities?
  private var codePoints: CodePoints?
  private var light = ContentLight()

  /// The content of the `cICP` chunk, of ITU-T H.273.
  private struct CodePoints {
    let primaries: Int
    let transfer: Int
    /// Whether they apply to RGB with the full range of values.
    let isUsable: Bool
  }

  /// The colour space that the chunks other than a profile name.
  var hint: ColorSpaceHint? { codePoints.flatMap { ColorSpaceHint(cicp: $0.primaries) } ?? (isSRGB ? .sRGB : nil) }

  /// Reads a chunk whose content starts at offset `start` of the file.
  mutating func readChunk(_ content: Bytes, of type: String, at start: Int) {
    switch type {
    case "iCCP": profile = profile ?? start..<start + content.count
    case "sRGB": isSRGB = true
    case "gAMA": gamma = content.unsigned32(at: 0).map { Double($0) / 100_000 }
    case "cHRM": chromaticities = Self.chromaticities(content)
    case "cICP":
      guard let primaries = content[0], let transfer = content[1] else { return }
      codePoints = CodePoints(
        primaries: Int(primaries), transfer: Int(transfer), isUsable: content[2] == 0 && content[3] == 1)
    // In steps of 0.0001 cd/m². Drafts of the third edition had other names.
    case "cLLI", "cLLi": light.contentPeak = content.unsigned32(at: 0).map { Double($0) / 10_000 }
    case "mDCV", "mDCv": light.masteringPeak = content.unsigned32(at: 16).map { Double($0) / 10_000 }
    default: break
    }
  }

  /// The signal, if the file is high dynamic range.
  var highDynamicRange: HighDynamicRange? {
    guard let codePoints, codePoints.isUsable else { return nil }
    return HighDynamicRange(primaries: codePoints.primaries, transfer: codePoints.transfer)?.with(light)
  }

  /// Whether the file states a wider gamut than sRGB.
  func isWide(in file: UnsafeRawBufferPointer) -> Bool {
    highDynamicRange?.chromaticities.isWide ?? description(in: file)?.isWide ?? false
  }

  /// The source colour space; `nil` for sRGB, and for high dynamic range, which is mapped while it is decoded.
  ///
  /// In order of precedence: `cICP`, `iCCP`, `sRGB`, `gAMA`; `cHRM` applies only together with `gAMA`.
  func description(in file: UnsafeRawBufferPointer) -> ColorDescription? {
    if highDynamicRange != nil { return nil }
    if let codePoints, codePoints.isUsable, let chromaticities = Chromaticities(cicp: codePoints.primaries),
      let curve = TransferCurve(cicp: codePoints.transfer)
    {
      return .display(chromaticities, curve)
    }
    if let profile { return .profile(Self.inflated(UnsafeRawBufferPointer(rebasing: file[profile]))) }
    guard !isSRGB, let gamma, Self.validGammas.contains(gamma) else { return nil }
    let isSRGBGamma = abs(gamma * 2.2 - 1) < Self.gammaTolerance
    if isSRGBGamma, chromaticities == nil { return nil }
    return .display(chromaticities ?? .bt709, isSRGBGamma ? .sRGB : .gamma(1 / gamma))
  }

  /// The inflated profile, which follows its name and the compression method; empty if damaged.
  static func inflated(_ content: UnsafeRawBufferPointer) -> Data {
    guard let nameEnd = content.firstIndex(of: 0), nameEnd + 2 < content.count else { return Data() }
    let compressed = UnsafeRawBufferPointer(rebasing: content[(nameEnd + 2)...])
    return InflatedContent(of: Data(compressed), .zlib, byteLimit: ColorDescription.profileByteLimit).whole ?? Data()
  }

  private static func chromaticities(_ content: Bytes) -> Chromaticities? {
    let values = (0..<8).compactMap { content.unsigned32(at: $0 * 4).map { Double($0) / 100_000 } }
    guard values.count == 8 else { return nil }
    let points = (0..<4).map { Chromaticities.Point(x: values[$0 * 2], y: values[$0 * 2 + 1]) }
    let result = Chromaticities(white: points[0], red: points[1], green: points[2], blue: points[3])
    return result.isValid ? result : nil
  }
}

extension PNGColor {
  /// A file with the chunks that state PQ in BT.2020, and the luminances of its content.
  static func added(_ light: ContentLight, to file: Data) -> Data {
    // RGB with the full range of values.
    let codes = PNGChunk.encoded("cICP", Data([9, UInt8(HighDynamicRange.Transfer.pq.rawValue), 0, 1]))
    // In steps of 0.0001 cd/m².
    let levels = [light.contentPeak, light.contentMean].flatMap { luminance in
      Data(bigEndian: UInt32(((luminance ?? 0) * 10_000).rounded()), count: 4)
    }
    return PNGChunk.inserted(codes + PNGChunk.encoded("cLLI", Data(levels)), into: file)
  }
}
