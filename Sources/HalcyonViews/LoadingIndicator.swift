/// What tells that a view is loading its image.
@nonexhaustive
public enum LoadingIndicator: Sendable {
  /// Nothing. The default.
  case none
  /// Something that turns.
  case activity
  /// Something that fills as bytes arrive.
  case progress
  /// A view of the toolkit, made each time it is to be shown.
  case custom(@MainActor @Sendable () -> Any)

  var isNone: Bool {
    if case .none = self { return true }
    return false
  }
}
