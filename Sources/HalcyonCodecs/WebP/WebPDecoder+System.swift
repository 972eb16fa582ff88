#if IMAGEIO
import HalcyonImaging
import Foundation

extension WebPDecoder {
  func mapping(_ header: WebPHeader, _ bytes: UnsafeRawBufferPointer, to space: ColorSpace) -> ColorMapping {
    .bySystem(header.profile.map { Data(bytes[$0.clamped(to: 0..<bytes.count)]) }, model: .rgb, to: space)
  }

  func still(
    _ bytes: UnsafeRawBufferPointer, plan: DecodingPlan, header: WebPHeader, options: DecodingOptions
  ) throws -> Bitmap {
    try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled)
      .bitmap(of: Data(bytes), plan: plan)
  }

  /// The part of a damaged still image that the system decodes.
  func damagedStill(
    _ bytes: UnsafeRawBufferPointer, plan: DecodingPlan, header: WebPHeader, options: DecodingOptions
  ) throws -> Bitmap {
    try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled)
      .bitmap(of: Data(bytes), plan: plan, truncation: .found)
  }

  /// The pixels of one frame, whose chunks are in `range`. The system decodes only whole ones.
  func frameBitmap(
    _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, header: WebPHeader, size: PixelSize, isOpaque: Bool,
    isPartial: Bool = false, options: DecodingOptions
  ) throws -> Bitmap {
    let info = ImageInfo(format: .webp, storedSize: size, hasAlpha: !isOpaque)
    return try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled).bitmap(
      of: WebPFrameFile.data(bytes, chunks: range, size: size, profile: header.profile),
      plan: DecodingPlan(info: info, options: options.ofWholeImage))
  }
}
#endif
