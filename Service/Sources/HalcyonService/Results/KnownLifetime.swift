import Foundation
import Halcyon
import HalcyonHTTP

/// How long a response may be cached, by what is known of its source.
struct KnownLifetime: Sendable {
  private let control: CacheControl
  /// The freshness that the source has left.
  private let freshness: Duration

  /// - Parameter isLocal: Whether the source is a file of this machine, which may change at any time.
  init(_ head: ResponseHead?, _ freshness: Duration?, isLocal: Bool, _ configuration: ServiceConfiguration) {
    control = CacheControl(isLocal ? [:] : head?.headers ?? [:])
    self.freshness = isLocal ? .seconds(configuration.sourceTimeToLive) : freshness ?? .zero
  }

  /// For how many seconds of its lifetime the source has existed; `nil` for one that states no lifetime in seconds, or is
  /// requested each time.
  var age: Int64? {
    guard let lifetime = control.sharedMaxAge ?? control.maxAge, !control.requiresValidation, !control.forbidsStorage
    else { return nil }
    return max(0, (.seconds(lifetime) - freshness).components.seconds)
  }

  /// The value of `Cache-Control` after some time.
  func cacheControl(after time: Duration = .zero) -> String {
    if control.forbidsStorage { return "no-store" }
    let scope = control.isPrivate ? "private" : "public"
    let seconds = min((freshness - time).components.seconds, 31_536_000)
    guard seconds > 0, !control.requiresValidation else { return control.isPrivate ? "private, no-cache" : "no-cache" }
    guard control.sharedMaxAge != nil, let own = control.maxAge else { return "\(scope), max-age=\(seconds)" }
    return "\(scope), max-age=\(min(own, Int(seconds))), s-maxage=\(seconds)"
  }
}
