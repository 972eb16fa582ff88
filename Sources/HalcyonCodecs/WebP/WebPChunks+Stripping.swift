import Foundation
import HalcyonImaging

extension WebPChunks {
  private static let shown: Set = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]
  /// The flags of the extended header that announce Exif and XMP.
  private static let (exifFlag, xmpFlag): (UInt8, UInt8) = (0x08, 0x04)

  /// A WebP file without XMP, unknown chunks, and anything after its end.
  ///
  /// - Parameter exif: The Exif data in place of the file's.
  static func stripped(_ data: Data, exif: Data?) throws(ImageDecodingError) -> Data {
    let content = data.withUnsafeBytes { buffer -> Data? in
      guard let byteCount = Bytes(buffer).unsigned32(at: 4, littleEndian: true), byteCount + 8 <= buffer.count else {
        return nil
      }
      let whole = UnsafeRawBufferPointer(rebasing: buffer[..<(byteCount + 8)])
      var chunks = WebPChunks(Bytes(whole))
      var content = Data()
      var isExtended = false
      while let chunk = chunks.next() {
        guard shown.contains(chunk.name) else { continue }
        let flags = content.count + 8
        content += encoded(chunk.name, Data(whole[chunk.content]))
        guard chunk.name == "VP8X", content.count > flags else { continue }
        isExtended = true
        content[flags] = content[flags] & ~(exifFlag | xmpFlag) | (exif == nil ? 0 : exifFlag)
      }
      // Only the extended format has a place for it.
      if isExtended, let exif { content += encoded("EXIF", exif) }
      return content
    }
    guard let content else { throw .truncated(.webp) }
    return file(content)
  }
}
