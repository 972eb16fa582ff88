public import Foundation
public import HalcyonImaging

#if !IMAGEIO
import CHalcyonJPEGShim
import HalcyonSupport
#endif

/// Changes of JPEG files that do not encode pixels again, so that nothing is lost.
@_spi(Programs) public enum JPEGTransform {
  /// A file with upright pixels, which are then turned.
  ///
  /// It keeps its colour profile. Gain maps, and what else follows the image, are left out.
  ///
  /// - Parameters:
  ///   - quarterTurns: 0 to 3 quarter turns clockwise.
  ///   - isProgressive: Whether the file is shown in passes while it arrives.
  ///   - metadata: What it keeps of its metadata.
  /// - Returns: `nil` if that takes encoding pixels again: a turn moves an edge at which blocks are not whole, the pixels are
  ///   stored mirrored, or the data is damaged; and on Apple's platforms.
  /// - Throws: ``ImageDecodingError`` if the file ends too early, or is no JPEG file.
  public static func transformed(
    _ file: Data, quarterTurns: Int, isProgressive: Bool, metadata: MetadataPolicy
  ) throws -> Data? {
    #if IMAGEIO
    return nil
    #else
    let original = try JPEGDecoder().metadata(of: file)
    guard let uprightTurns = turns[original.info.orientation] else { return nil }
    let stripped = try JPEGSegments.stripped(file)
    guard let turned = rewritten(stripped, (uprightTurns + quarterTurns) % 4, isProgressive) else { return nil }
    let space: ColorSpace = original.hasWideGamut ? .displayP3 : .sRGB
    let kept = WritableMetadata(metadata.applied(to: original), space, writesProfile: false)
    return kept?.added(toJPEG: turned) ?? turned
    #endif
  }

  #if !IMAGEIO
  /// The quarter turns that make the pixels of a file upright; none for those that are stored mirrored.
  private static let turns: [ImageOrientation: Int] = [.up: 0, .right: 1, .down: 2, .left: 3]

  /// A file with the same pixels and segments, and one scan; `nil` if its data is damaged. Gain maps are left out.
  static func withOneScan(_ file: Data) throws -> Data? {
    let rewritten = rewritten(file, 0, false, optimizesCodes: false)
    try CancellationFlag.checkCurrent()
    return rewritten
  }

  /// - Parameter optimizesCodes: Whether the file is a few per cent smaller, which takes a third longer.
  private static func rewritten(
    _ file: Data, _ quarterTurns: Int, _ isProgressive: Bool, optimizesCodes: Bool = true
  ) -> Data? {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    let status = file.withUnsafeBytes { file in
      jpeg_shim_transform(
        file.bindMemory(to: UInt8.self).baseAddress, file.count, Int32(quarterTurns), isProgressive,
        optimizesCodes, JPEGReader.scanLimit, { CancellationFlag.isCurrentCancelled }, &bytes, &count)
    }
    guard status == jpeg_shim_ok, let bytes else { return nil }
    return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
  }
  #endif
}
