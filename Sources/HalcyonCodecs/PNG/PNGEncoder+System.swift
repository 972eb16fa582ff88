#if IMAGEIO
import HalcyonImaging
import Foundation

extension PNGEncoder {
  func file(of bitmap: Bitmap, colorLimit: Int?) throws -> Data {
    try ImageIOWriter.file(of: bitmap, type: "public.png", quality: nil, format: .png)
  }
}
#endif
