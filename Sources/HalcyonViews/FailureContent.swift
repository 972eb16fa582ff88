/// What a view shows when its image cannot be loaded.
@nonexhaustive
public enum FailureContent: Sendable {
  /// What is shown already stays; an empty view gets its placeholder. The default.
  case keepsPlaceholder
  /// Something else in its place.
  case shows(ImagePlaceholder)
  /// Nothing at all.
  case clears
}
