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
    let mapping: ColorMapping
  }

  /// The least recently used first.
  private let entries = Lock<[Entry]>([])

  /// The conversion of pixels in `layout` from `description` to sRGB; a `nil` description means sRGB.
  func mapping(_ description: ColorDescription?, layout: ColorLayout) -> ColorMapping {
    guard let description else { return .none }
    let key = description.key
    if let cached = cached(key, layout) { return cached }
    let mapping = Self.make(description, layout: layout)
    // The evicted entry is freed after the lock is released.
    let evicted = entries.withLock { entries in
      let oldest = entries.count == Self.countLimit ? entries.removeFirst() : nil
      entries.append(Entry(description: key, layout: layout, mapping: mapping))
      return oldest
    }
    withExtendedLifetime(evicted) {}
    return mapping
  }

  /// The conversion of decoded RGBA pixels to sRGB; grey images are decoded to RGBA too.
  func mapping(_ description: ColorDescription?, inRGBA isGrey: Bool) -> ColorMapping {
    mapping(description, layout: isGrey && description?.isGrey == true ? .greyInRGBA8 : .rgba8)
  }

  private func cached(_ description: ColorDescription.Key, _ layout: ColorLayout) -> ColorMapping? {
    entries.withLock { entries in
      guard let index = entries.lastIndex(where: { $0.description == description && $0.layout == layout }) else {
        return nil
      }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.mapping
    }
  }

  private static func make(_ description: ColorDescription, layout: ColorLayout) -> ColorMapping {
    guard let transform = ColorTransform(description, layout: layout) else { return .unusable }
    return transform.isIdentity ? .none : .transform(transform)
  }
}
#endif
