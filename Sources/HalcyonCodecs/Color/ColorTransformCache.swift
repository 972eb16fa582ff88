import HalcyonSupport

/// The transforms used last; making one can take longer than using it.
///
/// Safe from any thread.
final class ColorTransformCache: Sendable {
  /// A table for inks takes about half a megabyte.
  private static let countLimit = 8

  private struct Entry {
    let description: ColorDescription.Key
    let layout: ColorLayout
    let mapping: ColorMapping
  }

  /// The least recently used first.
  private let entries = Lock<[Entry]>([])

  /// How the described colours of such pixels become sRGB; `nil` as description means that they are.
  func mapping(_ description: ColorDescription?, layout: ColorLayout) -> ColorMapping {
    guard let description else { return .none }
    let key = description.key
    if let known = known(key, layout) { return known }
    let mapping = Self.make(description, layout: layout)
    // What leaves is freed after the lock is.
    let leaving = entries.withLock { entries in
      let oldest = entries.count == Self.countLimit ? entries.removeFirst() : nil
      entries.append(Entry(description: key, layout: layout, mapping: mapping))
      return oldest
    }
    withExtendedLifetime(leaving) {}
    return mapping
  }

  /// How the described colours become sRGB once they lie as red, green, blue and alpha, as those of grey images do too.
  func mapping(_ description: ColorDescription?, inRGBA isGrey: Bool) -> ColorMapping {
    mapping(description, layout: isGrey && description?.isGrey == true ? .greyInRGBA8 : .rgba8)
  }

  private func known(_ description: ColorDescription.Key, _ layout: ColorLayout) -> ColorMapping? {
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

/// What has to be done to the colours of an image to have them in sRGB.
enum ColorMapping: Sendable {
  /// Nothing: they are.
  case none
  case transform(ColorTransform)
  /// Nothing can be done: the description is damaged, or is not about such pixels. Taken for sRGB, which is to be
  /// said with `DroppedContent.colorProfile`.
  case unusable

  var transform: ColorTransform? {
    if case .transform(let transform) = self { transform } else { nil }
  }

  var isUnusable: Bool {
    if case .unusable = self { true } else { false }
  }
}
