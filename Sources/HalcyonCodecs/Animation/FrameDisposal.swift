/// What becomes of the place of a picture before the next one is drawn.
enum FrameDisposal {
  /// It stays.
  case keep
  /// It becomes transparent.
  case clear
  /// What was there before comes back.
  case restore
}
