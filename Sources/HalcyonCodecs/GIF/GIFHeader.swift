import HalcyonImaging

/// The structure of a GIF file, or of its beginning.
struct GIFHeader {
  let firstFrame: GIFFrame
  /// The number of frames in the bytes.
  private(set) var frameCount = 1
  /// The global colour table, three bytes per colour.
  let palette: Range<Int>?
  /// The number of times the animation plays; `nil` for endless.
  private(set) var loopCount: Int?
  /// The logical screen that the file states, enlarged to contain the first frame, as in browsers.
  let canvas: PixelSize
  private(set) var hasAlpha: Bool
  /// Whether the bytes end inside a block.
  private(set) var isCut = false
  /// The last frame, if the bytes end inside its image data, which may nevertheless have all pixels.
  private(set) var cutFrame: GIFFrame?

  /// Whether the first frame makes the whole canvas opaque.
  var isFirstFrameOpaque: Bool { firstFrame.transparentIndex == nil && firstFrame.area.covers(canvas) }

  /// Reads all blocks; `nil` if the bytes end before the image data of the first frame.
  ///
  /// - Parameter isComplete: Whether the bytes are the whole file, which then must have a frame.
  static func parse(_ bytes: Bytes, isComplete: Bool) throws(ImageDecodingError) -> GIFHeader? {
    guard var blocks = try GIFBlocks(bytes) else {
      if isComplete { throw .truncated(.gif) }
      return nil
    }
    var header: GIFHeader?
    var parts = HeaderParts(.gif, limit: .max)
    frames: while true {
      try parts.add()
      switch blocks.step() {
      case .frame(let frame):
        if header == nil { header = GIFHeader(firstFrame: frame, blocks: blocks) } else { header?.add(frame) }
      case .end: break frames
      case .moreBytesNeeded:
        if header == nil, isComplete { throw .truncated(.gif) }
        if isComplete, blocks.endsInComment { break frames }
        header?.isCut = true
        header?.cutFrame = blocks.frameAtData
        break frames
      }
    }
    if header == nil, isComplete { throw .corrupt(.gif, reason: "it has no image") }
    header?.loopCount = blocks.loopCount
    return header
  }

  private init(firstFrame: GIFFrame, blocks: GIFBlocks) {
    self.firstFrame = firstFrame
    palette = blocks.palette
    let area = firstFrame.area
    canvas = PixelSize(
      width: max(blocks.screen.width, area.left + area.size.width),
      height: max(blocks.screen.height, area.top + area.size.height))
    hasAlpha = firstFrame.transparentIndex != nil || !firstFrame.area.covers(canvas)
  }

  private mutating func add(_ frame: GIFFrame) {
    frameCount += 1
    if frame.disposal == .clear || firstFrame.disposal != .keep { hasAlpha = true }
  }

  var info: ImageInfo {
    ImageInfo(
      format: .gif, storedSize: canvas, hasAlpha: hasAlpha, frameCount: frameCount, colorModel: .palette,
      droppedContent: frameCount > 1 ? [.frames] : [])
  }
}

/// The position of one frame in a GIF file, and how it is shown.
struct GIFFrame {
  var area = PixelArea(size: PixelSize(width: 0, height: 0))
  /// The local colour table, three bytes per colour; `nil` to use the global one.
  var palette: Range<Int>?
  var isInterlaced = false
  var transparentIndex: UInt8?
  var disposal = FrameDisposal.keep
  /// The delay in the file, in hundredths of a second.
  var hundredths = 0
  /// The offset of the image data, which starts with the LZW minimum code size.
  var dataOffset = 0
}
