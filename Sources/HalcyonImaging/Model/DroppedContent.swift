/// Content of an image file that the decoded image does not contain.
@nonexhaustive
public enum DroppedContent: String, Hashable, Sendable, CaseIterable {
  /// Further frames of an animation, or the movement of an SVG drawing.
  case frames
  /// Further pages or unrelated images.
  case pages
  /// A gain map, which makes highlights brighter than white on HDR screens.
  case gainMap
  /// A depth map: the distance of each point.
  case depthMap
  /// Luminances above the range of an ordinary display, compressed by tone mapping.
  case highDynamicRange
  /// A colour profile that is damaged or does not fit the pixels; they are interpreted as sRGB.
  case colorProfile
  /// Images inside an SVG drawing that cannot be decoded.
  case embeddedImages
  /// Parts or styles of an SVG drawing that librsvg does not know, and leaves out or draws in another way.
  case svgFeatures
}

extension DroppedContent: CustomStringConvertible {
  /// The name of the case, for example `gainMap`.
  public var description: String { rawValue }
}
