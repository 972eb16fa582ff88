import HalcyonImaging
import Foundation

/// One image of an icon: a PNG file, or a bitmap with a mask.
struct ICOEntry {
  private enum Content {
    case png(PNGHeader)
    case bitmap(BMPHeader)
  }

  private let content: Content

  /// Parses the headers of an entry; `nil` if they are incomplete.
  static func parse(_ bytes: Bytes) throws(ImageDecodingError) -> ICOEntry? {
    do {
      if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
        return try PNGHeaderParser.parse(bytes).map { ICOEntry(content: .png($0)) }
      }
      return try BMPHeaderParser.parse(icon: bytes).map { ICOEntry(content: .bitmap($0)) }
    } catch .corrupt(_, let reason) {
      throw .corrupt(.ico, reason: reason)
    }
  }

  private init(content: Content) {
    self.content = content
  }

  var info: ImageInfo {
    var info: ImageInfo
    switch content {
    case .png(let header):
      info = header.info
      info.frameCount = 1
      info.orientation = .up
    case .bitmap(let header):
      info = header.info
      info.hasAlpha = true
    }
    info.format = .ico
    return info
  }

  /// Decodes the whole image, whose limits have been checked.
  func bitmap(_ bytes: Data, options: DecodingOptions) throws -> Bitmap {
    switch content {
    case .png(let header): try png(bytes, header, options: options)
    case .bitmap(let header): try bytes.withUnsafeBytes { try bitmap($0, header: header) }
    }
  }

  private func png(_ bytes: Data, _ header: PNGHeader, options: DecodingOptions) throws -> Bitmap {
    var (header, whole) = (header, options.ofWholeImage)
    header.orientation = .up
    // Another entry may be whole.
    whole.allowsPartialImage = false
    do {
      return try PNGDecoder().decode(bytes, header, options: whole).bitmap
    } catch ImageDecodingError.truncated {
      throw ImageDecodingError.truncated(.ico)
    } catch ImageDecodingError.corrupt(_, let reason) {
      throw ImageDecodingError.corrupt(.ico, reason: reason)
    }
  }

  private func bitmap(_ bytes: UnsafeRawBufferPointer, header: BMPHeader) throws -> Bitmap {
    guard !header.isRunLengthEncoded else {
      throw ImageDecodingError.unsupportedFeature(.ico, feature: "run-length encoding")
    }
    let size = header.size
    let byteCount = header.bytesPerRow.multipliedReportingOverflow(by: size.height)
    let maskStart = header.pixelOffset + (byteCount.overflow ? bytes.count : byteCount.partialValue)
    guard maskStart <= bytes.count else { throw ImageDecodingError.truncated(.ico) }
    let colors = BMPColors(Bytes(bytes), header: header)
    let mask = ICOMask(bytes: bytes, start: maskStart, size: size)
    return try Bitmap(size: size, isOpaque: false) { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
      var alphas: UInt8 = 0
      for row in 0..<size.height {
        let offset = header.pixelOffset + (header.isTopDown ? row : size.height - 1 - row) * header.bytesPerRow
        let stored = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + header.usedBytesPerRow])
        let target = start + row * size.width * 4
        colors.unpack(stored, bitCount: header.bitCount, count: size.width, into: target)
        guard header.bitCount == 32 else { continue }
        for pixel in 0..<size.width {
          target[pixel * 4 + 3] = stored[pixel * 4 + 3]
          alphas |= stored[pixel * 4 + 3]
        }
      }
      // If no pixel has alpha, the mask applies: old encoders leave the fourth byte empty.
      if alphas == 0 { mask.apply(to: start) }
      AlphaMath.premultiply(start, count: size.pixelCount)
    }
  }
}

/// The mask after the pixels of an icon, one bit per pixel, rows from bottom to top: 1 is transparent.
private struct ICOMask {
  private let bytes: UnsafeRawBufferPointer
  private let start: Int
  private let size: PixelSize

  init(bytes: UnsafeRawBufferPointer, start: Int, size: PixelSize) {
    self.bytes = bytes
    self.start = start
    self.size = size
  }

  /// Sets the alpha of every pixel; all are opaque if the mask is missing.
  func apply(to pixels: UnsafeMutablePointer<UInt8>) {
    let bytesPerRow = (size.width + 31) / 32 * 4
    let isThere = start + bytesPerRow * (size.height - 1) + (size.width + 7) / 8 <= bytes.count
    for row in 0..<size.height {
      let stored = start + (size.height - 1 - row) * bytesPerRow
      for column in 0..<size.width {
        let isMasked = isThere && bytes[stored + column / 8] >> UInt8(7 - column % 8) & 1 == 1
        pixels[(row * size.width + column) * 4 + 3] = isMasked ? 0 : 255
      }
    }
  }
}
