public import Foundation

/// An encoding of images, told by the first bytes, never by a file name or a `Content-Type`.
@nonexhaustive
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  /// ITU-T T.81.
  case jpeg
  /// ISO/IEC 15948, still or animated.
  case png
  /// Graphics Interchange Format 87a or 89a.
  case gif
  /// RFC 9649.
  case webp
  /// Windows bitmap.
  case bmp
  /// Windows icon or cursor.
  case ico
  /// Tagged Image File Format 6.0, BigTIFF included.
  case tiff
  /// AV1 Image File Format.
  case avif
  /// HEIF with HEVC.
  case heic
  /// ISO/IEC 18181, bare or in its container.
  case jpegXL = "jxl"
  /// Scalable Vector Graphics.
  case svg
}

extension ImageFormat {
  /// The name in `Content-Type` and `Accept`, as registered.
  public var mediaType: String {
    switch self {
    case .jpegXL: "image/jxl"
    case .ico: "image/vnd.microsoft.icon"
    case .svg: "image/svg+xml"
    case .jpeg, .png, .gif, .webp, .bmp, .tiff, .avif, .heic: "image/\(rawValue)"
    }
  }

  /// What names of such files usually end with, for example `jpg`.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The most bytes that ``init(sniffing:)`` looks at.
  public static let sniffByteCount = 1024

  /// The format that the first bytes of a file show, or `nil` when they show none.
  ///
  /// 18 bytes tell every format but two: SVG, which is text and may open with comments, and pictures whose first brand
  /// is of any codec, which have a list of brands behind it.
  public init?(sniffing bytes: Data) {
    let signed = bytes.withUnsafeBytes { head in Self.signatures.first { $0.matches(head) }?.format }
    guard let format = signed ?? Self.described([UInt8](bytes.prefix(Self.sniffByteCount))) else { return nil }
    self = format
  }

  /// The format of a file that has a list of brands, or is text.
  private static func described(_ head: [UInt8]) -> ImageFormat? {
    FileTypeBox(head)?.format ?? VectorSniffing.format(head)
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

  /// What the header behind the first 14 bytes says of its own size, from OS/2 1 to Windows 5. It tells bitmaps of
  /// OS/2, which have something in the bytes that Windows reserves, from text that starts with these letters.
  private static let bitmapHeaderByteCounts: [UInt8] = [12, 16, 40, 52, 56, 64, 108, 124]

}
