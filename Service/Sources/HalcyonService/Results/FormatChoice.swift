import Halcyon

/// The format of a result whose URL names none.
struct FormatChoice: Sendable {
  /// The formats to choose by `Accept`, the best first.
  let automatic: [ImageFormat]
  /// Those of them that override the format of a URL.
  let enforced: Set<ImageFormat>
  /// The formats for clients that accept none of these, the first choice first. A source in one of them keeps its format.
  let preferred: [ImageFormat]
  /// The formats that can be written.
  let writable: Set<ImageFormat>

  /// The format of a result, if it is known without its source.
  ///
  /// - Parameter named: That of the URL.
  func format(named: ImageFormat?, accept: String?) -> ImageFormat? {
    let accepted = format(accept: accept)
    guard let named else { return accepted }
    return accepted.map { enforced.contains($0) ? $0 : named } ?? named
  }

  /// The first automatic format that a client accepts by name; `*/*` and `image/*` accept none of them.
  func format(accept: String?) -> ImageFormat? {
    let accepted = Set((accept ?? "").parts(between: ",").compactMap(Self.acceptedType))
    return automatic.first { writable.contains($0) && accepted.contains($0.mediaType) }
  }

  /// The format of a result that every client can show: that of the source if it is a preferred one, otherwise the first
  /// preferred one that has what the result needs.
  func format(of source: ImageInfo, isTransparent: Bool) -> ImageFormat {
    let choices = preferred.filter(writable.contains)
    if choices.contains(source.format) { return source.format }
    return choices.first { !isTransparent || $0 != .jpeg } ?? choices.first ?? (isTransparent ? .png : .jpeg)
  }

  /// The media type of an element of `Accept`, unless its weight is 0.
  private static func acceptedType(_ element: String) -> String? {
    let parts = element.parts(between: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    guard let type = parts.first else { return nil }
    let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
    return weight > 0 ? type : nil
  }
}
