/// What becomes of a load whose view has been given something else.
public enum SupersededLoadPolicy: Hashable, Sendable {
  /// It ends at once.
  case cancel
  /// It goes on at the lowest priority, so that its image is in the caches when somebody wants it.
  case finish
}
