/// The indicator that a view shows while its image is loading.
@nonexhaustive
public enum LoadingIndicator: Sendable {
  /// No indicator. The default.
  case hidden
  /// A spinner.
  case activity
  /// A progress indicator that fills as bytes are received.
  case progress
  /// A view of the toolkit, created each time it is shown.
  case custom(@MainActor @Sendable () -> Any)

  package var isHidden: Bool {
    if case .hidden = self { return true }
    return false
  }

  package var showsProgress: Bool {
    if case .progress = self { return true }
    return false
  }
}
