/// Images that appear together, in one frame, when the last of them is there.
///
/// An image that fails counts as there, and shows its failure with the others; one that is cancelled, or whose view is
/// given something else or goes away, leaves the group. Until then views show their placeholders and indicators, and no
/// previews; then placeholders leave at once, however late they came. A group is used once: what joins after it has been shown is shown at once.
@MainActor
public final class TransitionGroup {
  private struct Member {
    let load: ImageViewLoad
    var reveal: (@MainActor () -> Void)?
  }

  /// In the order in which they joined.
  private var members: [Member] = []
  private var missingCount: Int?
  private var isClosed = false
  private var isRevealed = false

  /// Creates a group for so many images.
  ///
  /// - Parameter count: How many are going to join, at least 1; `nil` while that is not known, see ``close()``.
  public init(count: Int? = nil) {
    precondition(count.map { $0 > 0 } ?? true, "a group needs at least one image, got \(count ?? 0)")
    missingCount = count
  }

  /// Says that nobody is going to join any more. Needed only where the count was not known.
  public func close() {
    isClosed = true
    revealIfComplete()
  }

  func join(_ load: ImageViewLoad) {
    guard !isRevealed else { return }
    members.append(Member(load: load))
    guard let missingCount else { return }
    self.missingCount = missingCount - 1
    if missingCount == 1 { isClosed = true }
  }

  /// Keeps what is to be shown until everyone is there.
  func hold(_ load: ImageViewLoad, reveal: @escaping @MainActor () -> Void) {
    guard let index = members.firstIndex(where: { $0.load === load }) else { return reveal() }
    members[index].reveal = reveal
    revealIfComplete()
  }

  func leave(_ load: ImageViewLoad) {
    members.removeAll { $0.load === load }
    revealIfComplete()
  }

  private func revealIfComplete() {
    guard isClosed, !isRevealed, members.allSatisfy({ $0.reveal != nil }) else { return }
    isRevealed = true
    let revealed = members
    members = []
    for member in revealed { member.reveal?() }
  }
}

/// Shows the images that are set inside `body`, with the group in their options, together.
///
/// ```swift
/// revealTogether { group in
///   options.transitionGroup = group
///   for (view, url) in zip(views, urls) { view.hc.setImage(with: url, options: options) }
/// }
/// ```
@MainActor
public func revealTogether(_ body: (TransitionGroup) throws -> Void) rethrows {
  let group = TransitionGroup()
  defer { group.close() }
  try body(group)
}
