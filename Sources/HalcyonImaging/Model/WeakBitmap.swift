/// A bitmap that is there as long as someone else holds its pixels.
package struct WeakBitmap: Sendable {
  let size: PixelSize
  let pixelFormat: PixelFormat
  let colorSpace: ColorSpace
  let isOpaque: Bool
  let bytesPerRow: Int
  private weak let storage: PixelStorage?

  package init(_ bitmap: Bitmap) {
    size = bitmap.size
    pixelFormat = bitmap.pixelFormat
    colorSpace = bitmap.colorSpace
    isOpaque = bitmap.isOpaque
    bytesPerRow = bitmap.bytesPerRow
    storage = bitmap.storage
  }

  /// The bitmap, unless its pixels are freed.
  package var bitmap: Bitmap? { storage.map { Bitmap(self, storage: $0) } }
}
