#if !IMAGEIO
import HalcyonImaging
import CHalcyonWebP

/// Decodes one WebP image or frame through libwebp to premultiplied pixels.
enum WebPReader {
  /// - Parameters:
  ///   - bytes: A complete file, or the chunks of one frame of an animation.
  ///   - size: The size of the result.
  ///   - crop: The area of the stored image to decode, whose left and top edges are even. Default: all of it.
  ///   - readsToEnd: Whether damage after the area is an error.
  ///   - isScaled: Whether `size` differs from the stored size; libwebp then averages pixels.
  ///   - ignoresAlpha: Whether the result is made opaque; see ``WebPHeader/mayDenyAlpha``.
  ///   - isPartial: Whether damage after the first row leaves the rows from it on transparent; then not `isOpaque`.
  static func bitmap(
    _ bytes: UnsafeRawBufferPointer, size: PixelSize, crop: PixelArea? = nil, readsToEnd: Bool = true, isScaled: Bool,
    isOpaque: Bool, ignoresAlpha: Bool, isPartial: Bool = false, isCancelled: @escaping () -> Bool
  ) throws -> Bitmap {
    try Bitmap(size: size, isOpaque: isOpaque) { output in
      let run = try WebPRun(bytes, size: size, isCancelled: isCancelled) { config in
        if let crop { config.options.crop(to: crop) }
        config.options.use_scaling = isScaled ? 1 : 0
        config.options.scaled_width = Int32(size.width)
        config.options.scaled_height = Int32(size.height)
        config.output.colorspace = isOpaque ? MODE_RGBA : MODE_rgbA
        config.output.is_external_memory = 1
        config.output.u.RGBA.rgba = output.bindMemory(to: UInt8.self).baseAddress
        config.output.u.RGBA.stride = Int32(size.width * 4)
        config.output.u.RGBA.size = output.count
      }
      let byteCount = size.width * 4 * (try isPartial ? run.finishPart() : run.finish(readsToEnd: readsToEnd))
      if ignoresAlpha { AlphaMath.makeOpaque(UnsafeMutableRawBufferPointer(rebasing: output[..<byteCount])) }
      UnsafeMutableRawBufferPointer(rebasing: output[byteCount...]).initializeMemory(as: UInt8.self, repeating: 0)
    }
  }
}
extension WebPDecoderOptions {
  mutating func crop(to area: PixelArea) {
    use_cropping = 1
    (crop_left, crop_top) = (Int32(area.left), Int32(area.top))
    (crop_width, crop_height) = (Int32(area.width), Int32(area.height))
  }
}
#endif
