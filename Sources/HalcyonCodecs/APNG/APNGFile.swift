import HalcyonImaging

/// What is known of an animated PNG file before its pictures are decoded.
struct APNGFile {
  /// Chunks before the pixels that every picture needs.
  private static let sharedNames: Set<String> = [
    "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP",
  ]

  let bytes: FileBytes
  /// The header chunk of the file; its size is that of the canvas.
  private(set) var header = 0..<0
  private(set) var shared: [Range<Int>] = []
  private(set) var pictureCount = 0
  /// How often the pictures are shown in all; `nil` for ever.
  private(set) var loopCount: Int?
  /// Whether the canvas is ever seen through, for pictures that are opaque themselves.
  private(set) var leavesHoles = false

  /// Reads all chunks; a file that is cut short has the pictures that are there.
  init(_ bytes: FileBytes, canvas: PixelSize) throws(ImageDecodingError) {
    self.bytes = bytes
    let view = Bytes(bytes.buffer)
    var chunks = PNGChunks(view)
    while let chunk = chunks.next() {
      switch chunk.name {
      case "IHDR" where header.isEmpty: header = chunk.content
      case "acTL":
        let plays = view.unsigned32(at: chunk.content.lowerBound + 4) ?? 0
        loopCount = plays == 0 ? nil : plays
      case "fcTL":
        let control = try APNGControl(view[chunk.content])
        pictureCount += 1
        leavesHoles =
          leavesHoles || control.disposal == .clear
          || (pictureCount == 1 && (control.disposal != .keep || !control.area.covers(canvas)))
      case let name where Self.sharedNames.contains(name): shared.append(chunk.range)
      default: break
      }
    }
  }
}
