#if !IMAGEIO
@_spi(Programs) import HalcyonSupport
import HalcyonImaging

/// The most recently used colour transforms, as creating one can take longer than applying it.
///
/// Safe from any thread.
final class ColorTransformCache: Sendable {
  /// A CMYK transform takes about half a megabyte.
  private static let countLimit = 8

  private struct Key: Hashable {
    let description: ColorDescription.Key
    let layout: ColorLayout
    let target: ColorSpace
  }

  private let mappings = RecentTable<Key, ColorMapping>(costLimit: countLimit)

  /// The conversion of pixels in `layout` from `description`; a `nil` description means sRGB, which is not converted.
  func mapping(_ description: ColorDescription?, layout: ColorLayout, to target: ColorSpace) -> ColorMapping {
    guard let description else { return ColorMapping() }
    let key = Key(description: description.key, layout: layout, target: target)
    return mappings[key] ?? mappings.insert(Self.make(description, layout: layout, target), for: key)
  }

  /// The conversion of decoded RGBA pixels; grey images are decoded to RGBA too.
  func mapping(_ description: ColorDescription?, inRGBA isGrey: Bool, to target: ColorSpace) -> ColorMapping {
    mapping(description, layout: isGrey && description?.isGrey == true ? .greyInRGBA8 : .rgba8, to: target)
  }

  private static func make(
    _ description: ColorDescription, layout: ColorLayout, _ target: ColorSpace
  ) -> ColorMapping {
    guard let transform = ColorTransform(description, layout: layout, to: target) else { return .unusable }
    return ColorMapping(colorSpace: target, transform: transform.isIdentity ? nil : transform)
  }
}
#endif
