/// The range of luminances that an image is decoded to.
public enum DynamicRange: String, Hashable, Sendable, CaseIterable {
  /// Up to white, as ordinary screens show it: brighter pictures are tone-mapped, and gain maps are left out.
  case standard
  /// As bright as the file says: pictures with high dynamic range become half floats (``Bitmap/dynamicRange``). Others stay
  /// as they are.
  case high
}

/// The range of luminances of an image file.
@nonexhaustive
public enum EncodedDynamicRange: Hashable, Sendable {
  /// Up to white.
  case standard
  /// Perceptual quantization (SMPTE ST 2084), absolute luminances up to 10,000 cd/m².
  case pq
  /// Hybrid log-gamma (ITU-R BT.2100).
  case hlg
  /// A picture up to white, with a map of how much brighter its parts become on screens that can show it.
  ///
  /// - Parameter headroom: How far above white the brightest parts are meant, in stops; `nil` if that is not known before
  ///   the whole file has been read.
  case gainMap(GainMapKind, headroom: Double?)
}

/// How a file describes its gain map.
@nonexhaustive
public enum GainMapKind: String, Hashable, Sendable, CaseIterable {
  /// In XMP, as Ultra HDR and Adobe's camera files do.
  case xmp
  /// As ISO 21496-1 says.
  case iso
  /// In the way of Apple's cameras.
  case apple
}

extension EncodedDynamicRange: CustomStringConvertible {
  /// For example `PQ` or `gain map of 2.3 stops`.
  public var description: String {
    switch self {
    case .standard: "standard"
    case .pq: "PQ"
    case .hlg: "HLG"
    case .gainMap(_, let headroom): "gain map\(headroom.map { " of \(($0 * 10).rounded() / 10) stops" } ?? "")"
    }
  }
}
