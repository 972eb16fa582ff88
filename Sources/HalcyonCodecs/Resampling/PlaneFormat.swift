import HalcyonCore

/// How the samples of an image lie in planes of one byte a sample.
struct PlaneFormat: Equatable {
  enum Channels: Equatable {
    case grey
    case rgb
    /// Colours already multiplied by alpha.
    case rgbaPremultiplied
    /// Full range with the matrix of JFIF; colour planes are smaller by powers of two and sited in the centre.
    case yCbCr(shiftX: Int, shiftY: Int)
  }

  var channels: Channels
  /// The size of the first plane; a multiple of the subsampling.
  var size: PixelSize
  /// Bytes that the source writes in each row of each plane, at least the width of the plane.
  var rowByteCounts: [Int]

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
