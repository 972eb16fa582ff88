public import HalcyonCore

/// The formats of this build.
public enum StandardCodecs {
  /// What it reads.
  public static let decoders: [any ImageDecoder] = []
  /// What it writes.
  public static let encoders: [any ImageEncoder] = []
}
