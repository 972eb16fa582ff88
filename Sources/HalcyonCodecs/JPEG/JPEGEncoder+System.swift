#if IMAGEIO
import HalcyonImaging
import Foundation

extension JPEGEncoder {
  func file(of bitmap: Bitmap, options: EncodingOptions, mayBeGrey: Bool = true) throws -> Data {
    try ImageIOWriter.file(
      of: bitmap.flattened(onto: options.background), type: "public.jpeg", quality: options.quality, format: .jpeg)
  }
}
#endif
