extension ImageFormat {
  /// What files of a format can hold, and what it takes to read and write them.
  ///
  /// The only place for choices by format. A new one gets a case in ``ImageFormat/abilities``, which the compiler asks for.
  @_spi(Programs) public struct Abilities: Sendable {
    /// Whether it is drawn at any size, and has no pixels of its own. Default: no.
    public var isVector = false
    /// Whether it mostly holds photographs. Default: no.
    public var isPhotographic = false
    /// Whether decoders give upright pixels only, whatever orientation is requested. Default: no.
    public var definesUprightPixels = false
    /// Whether some of its files are decoded row by row at a smaller size. Default: no.
    public var mayBeInRows = false
    /// Whether a part of a file is decoded without most of the others. Default: no.
    public var cutsRegions = false
    /// The memory that a decoder takes besides its result, in bytes for each pixel of the file, or of the result of a vector
    /// image. Default: 8.
    public var workingBytesPerPixel = 8.0
    /// The same for files that are shown in several passes; `nil` if there are none. Default: `nil`.
    public var progressiveBytesPerPixel: Double?
    /// Whether files can be transparent. Default: yes.
    public var hasTransparency = true
    /// Whether a lower quality makes smaller files. Default: yes.
    public var isLossy = true
    /// Whether encoders can keep all colours. Default: yes.
    public var canBeLossless = true
    /// Whether the library's encoder writes animations. Default: no.
    public var canBeAnimated = false
    /// Whether encoders write metadata. Default: yes.
    public var carriesMetadata = true
    /// Whether encoders take long and cannot be stopped. Default: no.
    public var isSlow = false
    /// Its place among the formats that `Accept` names, the best first; `nil` for formats that servers should not choose.
    /// Default: 8, after all formats of browsers.
    public var acceptRank: Int? = 8
    /// Whether servers choose it for clients that accept it by name, since its files are smaller. Default: yes.
    public var isNegotiated = true
    /// Whether all those clients show its animations, too. Default: no.
    public var isAnimatedForAll = false
  }

  /// What files of the format can hold.
  @_spi(Programs) public var abilities: Abilities {
    switch self {
    case .jpeg:
      Abilities(
        isPhotographic: true, mayBeInRows: true, cutsRegions: true, workingBytesPerPixel: 0.25,
        progressiveBytesPerPixel: 4, hasTransparency: false, canBeLossless: false, acceptRank: 6, isNegotiated: false)
    case .png:
      Abilities(
        workingBytesPerPixel: 0.25, progressiveBytesPerPixel: 4, isLossy: false, acceptRank: 5, isNegotiated: false)
    case .gif:
      Abilities(
        workingBytesPerPixel: 4, isLossy: false, canBeLossless: false, canBeAnimated: true, carriesMetadata: false,
        acceptRank: 7, isNegotiated: false)
    case .webp: Abilities(workingBytesPerPixel: 4, canBeAnimated: true, acceptRank: 2, isAnimatedForAll: true)
    case .bmp, .tiff:
      Abilities(
        cutsRegions: true, workingBytesPerPixel: 1, isLossy: false, carriesMetadata: false, acceptRank: nil,
        isNegotiated: false)
    case .ico:
      Abilities(
        workingBytesPerPixel: 7, isLossy: false, carriesMetadata: false, acceptRank: nil, isNegotiated: false)
    case .avif:
      Abilities(
        isPhotographic: true, definesUprightPixels: true, workingBytesPerPixel: 4, canBeLossless: false,
        canBeAnimated: true, carriesMetadata: false, isSlow: true, acceptRank: 1)
    case .heic:
      Abilities(
        isPhotographic: true, definesUprightPixels: true, mayBeInRows: true, cutsRegions: true,
        workingBytesPerPixel: 7, canBeLossless: false, carriesMetadata: false, acceptRank: nil, isNegotiated: false)
    case .jpegXL:
      Abilities(isPhotographic: true, workingBytesPerPixel: 16, carriesMetadata: false, isSlow: true, acceptRank: 3)
    case .svg:
      Abilities(
        isVector: true, workingBytesPerPixel: 7, isLossy: false, carriesMetadata: false, acceptRank: 4,
        isNegotiated: false)
    case .custom: Abilities()
    }
  }
}
