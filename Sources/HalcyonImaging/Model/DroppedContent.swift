/// Content of an image file that the decoded image does not contain.
@nonexhaustive
public enum DroppedContent: String, Hashable, Sendable, CaseIterable {
  /// Further frames of an animation.
  case frames
  /// Further pages or unrelated images.
  case pages
  /// A gain map, which makes highlights brighter than white on HDR screens.
  case gainMap
  /// A depth map: the distance of each point.
  case depthMap
  /// Values brighter than white, clipped to white.
  case highDynamicRange
  /// A colour profile that is damaged or does not fit the pixels; they are interpreted as sRGB.
  case colorProfile
}
