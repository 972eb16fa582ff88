#if GTK
import HalcyonCodecs
import Foundation
import Halcyon
import HalcyonImaging

/// Images of one colour.
enum SolidImage {
  static func bitmap(_ color: Color, width: Int = 100, height: Int = 100) throws -> Bitmap {
    let pixel = [UInt8(color.red), UInt8(color.green), UInt8(color.blue), 255]
    return try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = pixel[index % 4] }
    }
  }

  static func png(_ color: Color, width: Int = 100, height: Int = 100) throws -> Data {
    try PNGEncoder().encode(bitmap(color, width: width, height: height), options: EncodingOptions())
  }

  static func request(_ color: Color, width: Int = 100, height: Int = 100) throws -> ImageRequest {
    ImageRequest(source: .data(try png(color, width: width, height: height)))
  }

  static func image(_ color: Color, width: Int = 100, height: Int = 100) throws -> DecodedImage {
    let size = PixelSize(width: width, height: height)
    return DecodedImage(
      bitmap: try bitmap(color, width: width, height: height), info: ImageInfo(format: .png, storedSize: size))
  }
}
#endif
