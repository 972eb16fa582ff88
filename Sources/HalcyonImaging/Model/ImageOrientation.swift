/// The rotation or reflection that makes the stored pixels upright: the Exif tag 0x0112 (CIPA DC-008, 4.6.4).
public enum ImageOrientation: Int, Hashable, Sendable, CaseIterable {
  /// Upright as stored.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Rotated by 180 degrees.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Mirrored along the diagonal from the top left.
  case leftMirrored = 5
  /// Needs a quarter turn clockwise.
  case right = 6
  /// Mirrored along the diagonal from the top right.
  case rightMirrored = 7
  /// Needs a quarter turn anticlockwise.
  case left = 8

  /// Whether the upright width is the stored height.
  package var swapsAxes: Bool { rawValue >= 5 }
}
