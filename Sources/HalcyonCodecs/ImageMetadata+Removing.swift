public import Foundation
public import HalcyonImaging

extension ImageMetadata {
  /// A file without its metadata and with the same pixels, which are not encoded again: for JPEG, PNG and WebP.
  ///
  /// Of Exif only the orientation stays, if the pixels are not stored upright; profiles and other descriptions of the
  /// colours stay as well. Comments, texts, times, notes of programs, and what follows the end of the image, such as a
  /// second picture with a place of its own, are left out; so are gain maps of high dynamic range.
  ///
  /// - Returns: `nil` for a file in another format. It loses its metadata when it is encoded again.
  /// - Throws: ``ImageDecodingError`` if this build does not read the format, or the file ends too early.
  public static func removed(from file: Data) throws -> Data? {
    let decoder = try StandardCodecs.decoder(of: file)
    guard let info = try decoder.probe(file, isComplete: true) else {
      throw ImageDecodingError.truncated(decoder.formats.first ?? .jpeg)
    }
    let orientation = WritableMetadata(info.orientation)
    switch info.format {
    case .jpeg:
      let stripped = try JPEGSegments.stripped(file)
      return orientation?.added(toJPEG: stripped) ?? stripped
    case .png:
      let stripped = try PNGChunks.stripped(file)
      return orientation?.added(toPNG: stripped) ?? stripped
    case .webp: return try WebPChunks.stripped(file, exif: orientation?.exif)
    default: return nil
    }
  }
}
