import HalcyonSupport
package import HalcyonImaging
package import Foundation

/// A file in a made-up format for images of one colour: the signature of BMP, width, height and colour.
package struct SolidImage {
  package var width: UInt16
  package var height: UInt16
  package var color: (UInt8, UInt8, UInt8) = (10, 20, 30)
  package var paddingByteCount = 0

  package init(
    width: UInt16, height: UInt16, color: (UInt8, UInt8, UInt8) = (10, 20, 30), paddingByteCount: Int = 0
  ) {
    (self.width, self.height, self.color) = (width, height, color)
    self.paddingByteCount = paddingByteCount
  }

  package var data: Data {
    var bytes = Array("BM".utf8)
    for number in [width, height] { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
    bytes.append(contentsOf: [0, 0, 0, 0, color.0, color.1, color.2, UInt8(ascii: "!")])
    return Data(bytes + [UInt8](repeating: 0, count: paddingByteCount))
  }
}

/// An encoder of bitmaps of one colour as ``SolidImage``.
package struct SolidEncoder: ImageEncoder {
  package let format = ImageFormat.bmp

  package init() {}

  package func encode(_ bitmap: Bitmap, options: EncodingOptions) -> Data {
    let pixel = bitmap[0, 0]
    let size = (width: UInt16(bitmap.size.width), height: UInt16(bitmap.size.height))
    return SolidImage(width: size.width, height: size.height, color: (pixel.red, pixel.green, pixel.blue)).data
  }
}

/// A decoder of ``SolidImage`` that records the sizes it decodes and can be made to wait.
package final class SolidDecoder: ImageDecoder {
  package let formats: Set<ImageFormat> = [.bmp]
  private let decoded = Lock<[TargetSize]>([])
  private let beforeDecode: @Sendable () -> Void

  package init(beforeDecode: @escaping @Sendable () -> Void = {}) {
    self.beforeDecode = beforeDecode
  }

  /// The sizes decoded so far, in order.
  package var decodedSizes: [TargetSize] { decoded.withLock { $0 } }

  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    guard bytes.count >= 6 else {
      if isComplete { throw ImageDecodingError.truncated(.bmp) }
      return nil
    }
    let size = PixelSize(width: Int(bytes[2]) | Int(bytes[3]) << 8, height: Int(bytes[4]) | Int(bytes[5]) << 8)
    return ImageInfo(format: .bmp, storedSize: size)
  }

  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    beforeDecode()
    decoded.withLock { $0.append(options.size) }
    guard bytes.count > 13, bytes[13] == UInt8(ascii: "!"), let info = try probe(bytes, isComplete: true) else {
      throw ImageDecodingError.truncated(.bmp)
    }
    if options.isCancelled() { throw ImageDecodingError.cancelled }
    try options.limits.check(info.pixelSize, format: .bmp)
    let output = try options.outputSize(for: info.pixelSize)
    let color = [bytes[10], bytes[11], bytes[12], 255]
    let bitmap = try Bitmap(size: output, isOpaque: true) { pixels in
      for index in pixels.indices { pixels[index] = color[index % 4] }
    }
    return DecodedImage(bitmap: bitmap, info: info)
  }
}
