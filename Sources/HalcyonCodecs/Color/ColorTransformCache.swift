#if !IMAGEIO
import HalcyonSupport

/// The most recently used colour transforms, as creating one can take longer than applying it.
///
/// Safe from any thread.
final class ColorTransformCache: Sendable {
  /// A CMYK transform takes about half a megabyte.
  private static let countLimit = 8

  private struct Entry {
    let description: ColorDescription.Key
    let layout: ColorLayout
    let target: ColorSpace
    let mapping: ColorMapping
  }

  /// The least recently used first.
  private let entries = Lock<[Entry]>([])

  /// The conversion of pixels in `layout` from `description`; a `nil` description means sRGB, which stays so.
  func mapping(_ description: ColorDescription?, layout: ColorLayout, to target: ColorSpace) -> ColorMapping {
    guard let description else { return ColorMapping() }
    let key = description.key
    if let cached = cached(key, layout, target) { return cached }
    let mapping = Self.make(description, layout: layout, target)
    // The evicted entry is freed after the lock is released.
    let evicted = entries.withLock { entries in
      let oldest = entries.count == Self.countLimit ? entries.removeFirst() : nil
      entries.append(Entry(description: key, layout: layout, target: target, mapping: mapping))
      return oldest
    }
    withExtendedLifetime(evicted) {}
    return mapping
  }

  /// The conversion of decoded RGBA pixels; grey images are decoded to RGBA too.
  func mapping(_ description: ColorDescription?, inRGBA isGrey: Bool, to target: ColorSpace) -> ColorMapping {
    mapping(description, layout: isGrey && description?.isGrey == true ? .greyInRGBA8 : .rgba8, to: target)
  }

  private func cached(
    _ description: ColorDescription.Key, _ layout: ColorLayout, _ target: ColorSpace
  ) -> ColorMapping? {
    entries.withLock { entries in
      let index = entries.lastIndex {
        $0.description == description && $0.layout == layout && $0.target == target
      }
      guard let index else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.mapping
    }
  }

  private static func make(
    _ description: ColorDescription, layout: ColorLayout, _ target: ColorSpace
  ) -> ColorMapping {
    guard let transform = ColorTransform(description, layout: layout, to: target) else { return .unusable }
    return ColorMapping(colorSpace: target, transform: transform.isIdentity ? nil : transform)
  }
}
#endif
