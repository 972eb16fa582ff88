import HalcyonImaging

/// What is known of a GIF file, all of it or its beginning.
struct GIFHeader {
  let first: GIFFrame
  /// As many pictures as the bytes hold.
  private(set) var pictureCount = 1
  let palette: Range<Int>?
  /// How often the pictures are shown in all; `nil` for ever.
  private(set) var loopCount: Int?
  /// The screen that the file claims, or the first picture where that is larger, as browsers do it.
  let canvas: PixelSize
  private(set) var hasAlpha: Bool

  /// Whether the canvas is seen through after the first picture.
  var isFirstOpaque: Bool { first.transparentIndex == nil && first.area.covers(canvas) }

  /// Reads all blocks that are there; `nil` when the bytes end before the data of the first picture.
  ///
  /// - Parameter isComplete: Whether the bytes are the whole file, which then has to end at the end of a block.
  static func parse(_ bytes: Bytes, isComplete: Bool) throws(ImageDecodingError) -> GIFHeader? {
    guard var blocks = try GIFBlocks(bytes) else {
      if isComplete { throw .truncated(.gif) }
      return nil
    }
    var header: GIFHeader?
    walk: while true {
      switch blocks.step() {
      case .picture(let picture):
        if header == nil { header = GIFHeader(first: picture, blocks: blocks) } else { header?.add(picture) }
      case .end: break walk
      case .moreBytesNeeded:
        if isComplete { throw .truncated(.gif) }
        break walk
      }
    }
    if header == nil, isComplete { throw .corrupt(.gif, reason: "it holds no picture") }
    header?.loopCount = blocks.loopCount
    return header
  }

  private init(first: GIFFrame, blocks: GIFBlocks) {
    self.first = first
    palette = blocks.palette
    let area = first.area
    canvas = PixelSize(
      width: max(blocks.screen.width, area.x + area.size.width),
      height: max(blocks.screen.height, area.y + area.size.height))
    hasAlpha = first.transparentIndex != nil || !first.area.covers(canvas)
  }

  private mutating func add(_ picture: GIFFrame) {
    pictureCount += 1
    if picture.disposal == .clear || first.disposal != .keep { hasAlpha = true }
  }

  var info: ImageInfo {
    ImageInfo(
      format: .gif, storedSize: canvas, hasAlpha: hasAlpha, frameCount: pictureCount, colorModel: .palette,
      droppedContent: pictureCount > 1 ? [.frames] : [])
  }
}

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
