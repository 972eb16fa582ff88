import HalcyonImaging

/// Where one picture of a GIF file lies in its bytes, and how it is shown.
struct GIFFrame {
  var area = PixelArea(x: 0, y: 0, size: PixelSize(width: 0, height: 0))
  /// Three bytes a colour; `nil` where the table of the file counts.
  var palette: Range<Int>?
  var isInterlaced = false
  var transparentIndex: UInt8?
  var disposal = FrameDisposal.keep
  /// As the file has it.
  var hundredths = 0
  /// The first byte of the compressed indices, which tells how many bits they have.
  var dataOffset = 0
}
