#if !IMAGEIO
import HalcyonImaging
import Foundation

extension WebPDecoder {
  func mapping(_ header: WebPHeader, _ bytes: UnsafeRawBufferPointer, to space: ColorSpace) -> ColorMapping {
    colors.mapping(header.description(in: bytes), inRGBA: false, to: space)
  }

  func still(
    _ bytes: UnsafeRawBufferPointer, plan: DecodingPlan, header: WebPHeader, options: DecodingOptions
  ) throws -> Bitmap {
    let (isOpaque, isCancelled) = (!header.hasAlpha, options.isCancelled)
    if plan.isWholeImage {
      return try WebPReader.bitmap(
        bytes, size: header.canvas, isScaled: false, isOpaque: isOpaque,
        ignoresAlpha: header.mayDenyAlpha, isCancelled: isCancelled)
    }
    if !plan.readsToEnd, let area = plan.geometry.area {
      // Chroma is interpolated from the samples around the area.
      let crop = area.expanded(by: 2, toMultiplesOf: 2, in: header.canvas)
      let bitmap = try WebPReader.bitmap(
        bytes, size: crop.size, crop: crop, readsToEnd: false, isScaled: false, isOpaque: isOpaque,
        ignoresAlpha: header.mayDenyAlpha, isCancelled: isCancelled)
      let inner = PixelArea(left: area.left - crop.left, top: area.top - crop.top, size: area.size)
      return try bitmap.with(BitmapGeometry(inner))
    }
    if !header.isLossless {
      return try resampled(bytes, plan: plan, isOpaque: isOpaque, isCancelled: isCancelled)
    }
    let scale = WebPScale(plan)
    var (crop, geometry) = (PixelArea?.none, scale.geometry)
    if !plan.readsToEnd, !scale.isScaled {
      let part = geometry.part(of: scale.size, unit: PixelSize(width: 2, height: 2))
      (crop, geometry) = (part.area, part.geometry)
    }
    let bitmap = try WebPReader.bitmap(
      bytes, size: crop?.size ?? scale.size, crop: crop, readsToEnd: plan.readsToEnd, isScaled: scale.isScaled,
      isOpaque: isOpaque, ignoresAlpha: header.mayDenyAlpha, isCancelled: isCancelled)
    return try Resampler(format: .webp, geometry: geometry, graphs: graphs).bitmap(isOpaque: isOpaque) {
      RowPlaneSource(BitmapRowSource(bitmap), isCancelled: isCancelled)
    }
  }

  /// A lossy image, resampled in the planes that it is coded in.
  private func resampled(
    _ bytes: UnsafeRawBufferPointer, plan: DecodingPlan, isOpaque: Bool, isCancelled: @escaping () -> Bool
  ) throws -> Bitmap {
    let (wide, crop) = plan.geometry.widened(inside: plan.info.storedSize)
    let factor = BoxShrink.factor(reduction: plan.geometry.reduction)
    var (area, part) = (PixelArea(size: plan.info.storedSize), wide)
    if !plan.readsToEnd {
      // Two samples of luma for one of chroma.
      (area, part) = part.part(of: area.size, unit: PixelSize(width: factor * 2, height: factor * 2))
    }
    let geometry = part.scaled(by: 1 / Double(factor))
    let bitmap = try Resampler(format: .webp, geometry: geometry, graphs: graphs).bitmap(isOpaque: isOpaque) {
      let planes = try WebPPlaneSource(
        bytes, area, readsToEnd: plan.readsToEnd, hasAlpha: !isOpaque, skipsLoopFilter: plan.skipsLoopFilter,
        isCancelled: isCancelled)
      return factor == 1 ? planes : try PlaneBoxShrink(planes, factor: factor)
    }
    return try bitmap.with(BitmapGeometry(crop))
  }

  /// The rows of a still image before its damage, then transparent ones.
  func damagedStill(
    _ bytes: UnsafeRawBufferPointer, plan: DecodingPlan, header: WebPHeader, options: DecodingOptions
  ) throws -> Bitmap {
    let bitmap = try WebPReader.bitmap(
      bytes, size: header.canvas, isScaled: false, isOpaque: false, ignoresAlpha: header.mayDenyAlpha, isPartial: true,
      isCancelled: options.isCancelled)
    return try plan.bitmap(isOpaque: false, graphs: graphs, isCancelled: options.isCancelled) {
      BitmapRowSource(bitmap)
    }
  }

  /// The pixels of one frame, whose chunks are in `range`.
  func frameBitmap(
    _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, header: WebPHeader, size: PixelSize, isOpaque: Bool,
    isPartial: Bool = false, options: DecodingOptions
  ) throws -> Bitmap {
    try WebPReader.bitmap(
      UnsafeRawBufferPointer(rebasing: bytes[range]), size: size, isScaled: false, isOpaque: isOpaque,
      ignoresAlpha: !header.hasAlpha, isPartial: isPartial, isCancelled: options.isCancelled)
  }
}

/// The size at which libwebp decodes a lossless image, and the geometry for resampling it afterwards.
///
/// libwebp scales by averaging while decoding, which is cheap but not sharp. The decoded size therefore has at least
/// two pixels per output pixel, for the Lanczos filter.
private struct WebPScale {
  /// The smallest reduction by libwebp that saves time.
  private static let minimumReduction = 1.5

  let size: PixelSize
  let geometry: ResizeGeometry
  let isScaled: Bool

  init(_ plan: DecodingPlan) {
    let whole = plan.info.storedSize
    let reduction = plan.geometry.reduction / 2
    guard reduction >= Self.minimumReduction else {
      (size, geometry, isScaled) = (whole, plan.geometry, false)
      return
    }
    let size = PixelSize(
      width: Int((Double(whole.width) / reduction).rounded(.up)),
      height: Int((Double(whole.height) / reduction).rounded(.up)))
    let across = Double(size.width) / Double(whole.width)
    let down = Double(size.height) / Double(whole.height)
    let window = plan.geometry.window
    self.size = size
    geometry = ResizeGeometry(
      window: PixelRectangle(
        x: window.x * across, y: window.y * down, width: window.width * across, height: window.height * down),
      outputSize: plan.geometry.outputSize)
    isScaled = true
  }
}
#endif
