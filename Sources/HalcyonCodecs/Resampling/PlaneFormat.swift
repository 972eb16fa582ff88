import HalcyonImaging

/// How the samples of an image lie in planes.
struct PlaneFormat: Equatable {
  enum Channels: Equatable {
    case grey
    case rgb
    /// Colours already multiplied by alpha.
    case rgbaPremultiplied
    /// Colour planes are smaller by powers of two.
    case yCbCr(shiftX: Int, shiftY: Int)
  }

  var channels: Channels
  /// The size of the first plane; a multiple of the subsampling.
  var size: PixelSize
  /// Bytes that the source writes in each row of each plane, at least the width of the plane.
  var rowByteCounts: [Int]
  /// What the numbers mean.
  var coding = SampleCoding()

  /// What these samples become: grey stays grey, everything else becomes red, green and blue.
  var outputChannels: Channels {
    if coding.alpha != .none { return .rgbaPremultiplied }
    if case .yCbCr = channels { return .rgb }
    return channels
  }

  /// Planes that all have the size of the image.
  init(channels: Channels, size: PixelSize) {
    let planeCount = channels == .grey ? 1 : channels == .rgbaPremultiplied ? 4 : 3
    self.init(channels: channels, size: size, rowByteCounts: Array(repeating: size.width, count: planeCount))
  }

  init(channels: Channels, size: PixelSize, rowByteCounts: [Int]) {
    self.channels = channels
    self.size = size
    self.rowByteCounts = rowByteCounts
  }
}
