import Halcyon
import HalcyonBackend
@_spi(Programs) import HalcyonImaging

/// The format of a result whose URL names none.
struct FormatRules: Sendable {
  /// The formats to choose by `Accept`, the best first.
  let automatic: [ImageFormat]
  /// The automatic formats that override the format of a URL.
  let enforced: Set<ImageFormat>
  /// The formats for clients that accept none of these, the first choice first. A source in one of them keeps its format.
  let preferred: [ImageFormat]
  /// The formats that can be written.
  let writable: Set<ImageFormat>

  /// The automatic formats to which a client gives the highest weight.
  struct Accepted: Hashable {
    let still: ImageFormat?
    /// Only a format that can be animated, as in imgproxy.
    let animated: ImageFormat?

    static let none = Accepted(still: nil, animated: nil)
  }

  /// The formats that a client accepts by name; `*/*` and `image/*` accept none of them.
  func accepted(_ accept: String?) -> Accepted {
    guard !automatic.isEmpty else { return .none }
    let formats = automatic.filter(writable.contains)
    return Accepted(
      still: FormatChoice(formats).format(accepting: accept),
      animated: FormatChoice(formats.filter(\.abilities.isAnimatedForAll)).format(accepting: accept))
  }

  /// The format that a URL names, or one that overrides it.
  func format(named: ImageFormat, _ accepted: ImageFormat?) -> ImageFormat {
    accepted.map { enforced.contains($0) ? $0 : named } ?? named
  }

  /// The format of a result that every client can show: the source's if it is a preferred one, otherwise the first
  /// preferred one that has what the result needs.
  func format(of source: ImageInfo, isAnimated: Bool, isTransparent: Bool) -> ImageFormat {
    let choices = preferred.filter(writable.contains)
    if choices.contains(source.format) { return source.format }
    return choices.first {
      (!isTransparent || $0.abilities.hasTransparency) && (!isAnimated || $0.abilities.canBeAnimated)
    }
      ?? choices.first ?? (isTransparent ? .png : .jpeg)
  }
}
