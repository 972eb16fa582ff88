public import Observation

/// Images that are shown together, in one frame, when all of them have been loaded.
///
/// An image that fails counts as loaded, and its failure is shown with the others. A load leaves the group when it is
/// cancelled, and when its view is set to another image or released. While waiting, views show placeholders and
/// indicators but no previews; placeholders are then replaced at once, even before their minimum time. A group is used
/// once: images that join later are shown when they are loaded.
///
/// In SwiftUI a view whose image stays counts as loaded when another group is set.
@MainActor
@Observable
public final class TransitionGroup {
  private struct Member {
    let load: ImageViewLoad
    /// Shows the result; `nil` until it is loaded.
    var show: (@MainActor () -> Void)?
  }

  /// Whether images are still to be shown, for one indicator of the whole group. Observable, for example in SwiftUI.
  public private(set) var isLoading = true
  /// Called once, when the images are shown. Default: none.
  @ObservationIgnored public var onShow: (@MainActor () -> Void)?

  /// The members, in the order in which they joined.
  @ObservationIgnored private var members: [Member] = []
  /// How many are still to join; `nil` if not known.
  @ObservationIgnored private var missingCount: Int?
  @ObservationIgnored private var isClosed = false

  /// Creates a group.
  ///
  /// - Parameter count: The number of images that will join; a group of none is not loading, and shows each image when it
  ///   is loaded. Default: `nil`, not known until ``close()``.
  public init(count: Int? = nil) {
    missingCount = count
    if let count, count < 1 { (isClosed, isLoading) = (true, false) }
  }

  /// Shows the images that are set inside `body`, with the group in their options, together.
  ///
  /// ```swift
  /// TransitionGroup.together { group in
  ///   var options = ImageViewOptions()
  ///   options.transitionGroup = group
  ///   for (view, url) in zip(views, urls) { view.hc.setImage(with: url, options: options) }
  /// }
  /// ```
  ///
  /// The group is closed when `body` returns or throws.
  public static func together(_ body: (TransitionGroup) throws -> Void) rethrows {
    let group = TransitionGroup()
    defer { group.close() }
    try body(group)
  }

  /// Ends the joining of images. Only needed for a group without a count.
  public func close() {
    isClosed = true
    showIfComplete()
  }

  func join(_ load: ImageViewLoad) {
    guard isLoading else { return }
    members.append(Member(load: load))
    countMember()
  }

  /// Counts a view that shows its image already, or is loading it in another group.
  func skip() {
    countMember()
    showIfComplete()
  }

  private func countMember() {
    guard let missingCount else { return }
    self.missingCount = missingCount - 1
    if missingCount == 1 { isClosed = true }
  }

  /// Calls `show` when all members have been loaded; at once if the load is not a member.
  func didLoad(_ load: ImageViewLoad, show: @escaping @MainActor () -> Void) {
    guard let index = members.firstIndex(where: { $0.load === load }) else { return show() }
    members[index].show = show
    showIfComplete()
  }

  func leave(_ load: ImageViewLoad) {
    members.removeAll { $0.load === load }
    showIfComplete()
  }

  private func showIfComplete() {
    guard isClosed, isLoading, members.allSatisfy({ $0.show != nil }) else { return }
    let members = members
    (self.members, isLoading) = ([], false)
    for member in members { member.show?() }
    onShow?()
  }
}
