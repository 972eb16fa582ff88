/// What an image file holds and the decoded picture does not show.
@nonexhaustive
public enum DroppedContent: String, Hashable, Sendable, CaseIterable {
  /// Further pictures of an animation.
  case frames
  /// Further pages or unrelated pictures.
  case pages
  /// A map that makes highlights brighter than white on screens that can (HDR).
  case gainMap
  /// How far away each point is.
  case depthMap
  /// Values brighter than white, cut to white.
  case highDynamicRange
  /// A colour profile that is damaged or does not fit the pixels; their colours are taken for sRGB.
  case colorProfile
}
