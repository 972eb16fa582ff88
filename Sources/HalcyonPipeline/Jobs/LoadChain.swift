import HalcyonCache
import HalcyonSupport

/// Finds loads that would wait for themselves: a load that the closure of a provider or resolver starts must not wait for
/// the load that called the closure.
enum LoadChain {
  /// A load of encoded bytes by one pipeline.
  struct Link: Hashable, Sendable {
    let loader: ObjectIdentifier
    let key: CacheKey
  }

  /// The loads whose closures are running, the outermost first.
  @TaskLocal private static var current: [Link] = []

  /// Whether one of these closures runs while its load has a permit.
  @TaskLocal static var hasPermit = false

  /// For the load of each running closure, the loads that the closure waits for, and how often.
  private static let waits = Lock<[Link: [Link: Int]]>([:])

  /// Whether this call comes from a closure of this load.
  static func isCalling(for link: Link) -> Bool { current.contains(link) }

  /// Calls a closure of the caller on behalf of a load.
  static func calling<Value: Sendable>(
    for link: Link, withPermit: Bool = false, _ closure: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    do {
      return try await $current.withValue(current + [link]) {
        try await $hasPermit.withValue(hasPermit || withPermit) { try await closure() }
      }
    } catch let error as ImageError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  /// Begins to wait for a load; `nil` if this call does not come from a closure, as for most loads.
  ///
  /// - Throws: ``ImageError/circularLoad(key:)`` if the load waits, directly or not, for the closure.
  static func wait(for link: @autoclosure () -> Link) throws(ImageError) -> Wait? {
    let chain = current
    guard let caller = chain.last else { return nil }
    let link = link()
    guard begin(link, from: caller, chain) else { throw .circularLoad(key: link.key.sourceText) }
    return Wait(caller: caller, link: link)
  }

  private static func begin(_ link: Link, from caller: Link, _ chain: [Link]) -> Bool {
    waits.withLock { waits in
      var visited: Set<Link> = []
      var pending = [link]
      while let next = pending.popLast() {
        if chain.contains(next) { return false }
        if visited.insert(next).inserted { pending += waits[next].map { Array($0.keys) } ?? [] }
      }
      waits[caller, default: [:]][link, default: 0] += 1
      return true
    }
  }

  /// A closure that waits for a load. A class, so that most loads hold an empty reference instead of two keys.
  final class Wait: Sendable {
    private let caller: Link
    private let link: Link

    fileprivate init(caller: Link, link: Link) {
      self.caller = caller
      self.link = link
    }

    func end() {
      waits.withLock { waits in
        guard let count = waits[caller]?[link] else { return }
        waits[caller]?[link] = count > 1 ? count - 1 : nil
        if waits[caller]?.isEmpty == true { waits[caller] = nil }
      }
    }
  }
}
