public import Foundation

extension ImageFormat {
  /// The most bytes that ``init(sniffing:)`` reads.
  package static let sniffByteCount = 16 << 10
  /// The most bytes of a file without long comments, and the fewest that ``ImageDecoder/format(sniffing:)`` gets.
  package static let shortSniffByteCount = 1024

  /// The built-in format that the first bytes of a file indicate, or `nil` if they match none.
  ///
  /// 18 bytes are enough for all formats but two: SVG, which is text whose root element may follow comments and
  /// declarations, also compressed by gzip, and ISO base media files with a generic major brand, whose list of compatible
  /// brands follows.
  public init?(sniffing bytes: Data) {
    let signed = bytes.withUnsafeBytes { head in Self.signatures.first { $0.matches(head) }?.format }
    guard
      let format = signed ?? FileTypeBox([UInt8](bytes.prefix(Self.shortSniffByteCount)))?.format ?? Self.text(bytes)
    else { return nil }
    self = format
  }

  /// SVG if the root element is `svg`; an HTML page that contains a drawing is not.
  private static func text(_ file: Data) -> ImageFormat? {
    var head = file.prefix(sniffByteCount)
    if InflatedContent.isGzip(head) { head = Data(InflatedContent(of: head, byteLimit: sniffByteCount).bytes) }
    // White space, `<`, and the first bytes of byte order marks.
    guard let first = head.first, first <= 0x20 || [0x3C, 0xEF, 0xFE, 0xFF].contains(first) else { return nil }
    let text = XMLText.utf8(of: head, byteLimit: sniffByteCount)
    guard let start = XMLText.rootOffset(in: text) else { return nil }
    let name = text[start...].prefix { $0 > 0x20 && !"/>".utf8.contains($0) }
    return name.endIndex < text.count && XMLText.isSVG(name) ? .svg : nil
  }

  private struct Signature {
    let format: ImageFormat
    let pieces: [(offset: Int, bytes: [UInt8])]

    init(_ format: ImageFormat, _ pieces: (Int, [UInt8])...) {
      self.format = format
      self.pieces = pieces.map { (offset: $0.0, bytes: $0.1) }
    }

    func matches(_ head: UnsafeRawBufferPointer) -> Bool {
      pieces.allSatisfy { piece in
        head.count >= piece.offset + piece.bytes.count
          && piece.bytes.indices.allSatisfy { head[piece.offset + $0] == piece.bytes[$0] }
      }
    }
  }

  private static let signatures: [Signature] =
    [
      Signature(.jpeg, (0, [0xFF, 0xD8, 0xFF])),
      Signature(.png, (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])),
      Signature(.gif, (0, Array("GIF87a".utf8))),
      Signature(.gif, (0, Array("GIF89a".utf8))),
      Signature(.webp, (0, Array("RIFF".utf8)), (8, Array("WEBP".utf8))),
      Signature(.jpegXL, (0, [0xFF, 0x0A])),
      Signature(.jpegXL, (0, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A])),
      Signature(.tiff, (0, [0x49, 0x49, 0x2A, 0])),
      Signature(.tiff, (0, [0x4D, 0x4D, 0, 0x2A])),
      Signature(.tiff, (0, [0x49, 0x49, 0x2B, 0])),
      Signature(.tiff, (0, [0x4D, 0x4D, 0, 0x2B])),
      Signature(.bmp, (0, Array("BM".utf8)), (6, [0, 0, 0, 0])),
      Signature(.ico, (0, [0, 0, 1, 0])),
      Signature(.ico, (0, [0, 0, 2, 0])),
    ] + bitmapHeaderByteCounts.map { Signature(.bmp, (0, Array("BM".utf8)), (14, [$0, 0, 0, 0])) }

  /// The sizes of the header that follows the first 14 bytes of a BMP file, from OS/2 1 to Windows 5.
  ///
  /// They distinguish OS/2 bitmaps, which use the bytes that Windows reserves, from text that starts with “BM”.
  private static let bitmapHeaderByteCounts: [UInt8] = [12, 16, 40, 52, 56, 64, 108, 124]
}

/// The brands at the start of an ISO base media file (ISO/IEC 14496-12, 4.3).
private struct FileTypeBox {
  private static let avifBrands: Set = ["avif", "avis"]
  private static let heicBrands: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
  /// Brands of images in any codec; the compatible brands name the codec.
  private static let genericBrands: Set = ["mif1", "mif2", "mif3", "msf1", "miaf", "1pic", "tmap"]

  private let majorBrand: String
  private let compatibleBrands: Set<String>
  /// Whether `compatibleBrands` is complete.
  private let isComplete: Bool

  /// Returns `nil` if the bytes do not start with such a box.
  init?(_ head: [UInt8]) {
    guard head.dropFirst(4).starts(with: "ftyp".utf8), head.count >= 12 else { return nil }
    let byteCount = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let end = min(byteCount, ImageFormat.shortSniffByteCount)
    majorBrand = Self.brand(head, at: 8)
    compatibleBrands = Set(stride(from: 16, to: min(end, head.count) - 3, by: 4).map { Self.brand(head, at: $0) })
    isComplete = head.count >= end
  }

  /// The format of the major brand, else of the compatible brands; HEIC if a generic brand names no codec.
  var format: ImageFormat? {
    if Self.avifBrands.contains(majorBrand) { return .avif }
    if Self.heicBrands.contains(majorBrand) { return .heic }
    if !compatibleBrands.isDisjoint(with: Self.avifBrands) { return .avif }
    if !compatibleBrands.isDisjoint(with: Self.heicBrands) { return .heic }
    return isComplete && Self.genericBrands.contains(majorBrand) ? .heic : nil
  }

  private static func brand(_ head: [UInt8], at offset: Int) -> String {
    String(decoding: head[offset..<offset + 4], as: UTF8.self)
  }
}
