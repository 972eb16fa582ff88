import HalcyonImaging

/// The pictures of a GIF file in order.
final class GIFFrameSource: PictureSource {
  private let file: FileBytes
  private let limits: ImageLimits
  private var blocks: GIFBlocks

  init(_ file: FileBytes, limits: ImageLimits) throws(ImageDecodingError) {
    self.file = file
    self.limits = limits
    blocks = try Self.blocks(of: file)
  }

  func next() throws(ImageDecodingError) -> AnimationPatch? {
    switch blocks.step() {
    case .end: return nil
    case .moreBytesNeeded: throw .truncated(.gif)
    case .picture(let picture):
      // Later pictures may be larger than the canvas, which has been checked.
      if picture.area.size.pixelCount > 0 { try limits.check(picture.area.size, format: .gif) }
      return AnimationPatch(
        area: picture.area, disposal: picture.disposal, isBlended: true,
        duration: .milliseconds(picture.hundredths * 10)
      ) { [file, palette = blocks.palette] in
        try GIFRowSource(file.buffer, picture: picture, palette: palette)
      }
    }
  }

  func rewind() throws(ImageDecodingError) { blocks = try Self.blocks(of: file) }

  private static func blocks(of file: FileBytes) throws(ImageDecodingError) -> GIFBlocks {
    guard let blocks = try GIFBlocks(Bytes(file.buffer)) else { throw .truncated(.gif) }
    return blocks
  }
}
