import HalcyonImaging
import Foundation

/// The structure of an animated PNG file, read before its frames are decoded.
struct APNGFile {
  /// Chunks before the image data that apply to every frame.
  private static let sharedNames = PNGColor.chunkNames.union(["PLTE", "tRNS", "sBIT"])

  let bytes: FileBytes
  /// The content of the `IHDR` chunk, which has the size of the canvas.
  private(set) var header = 0..<0
  private(set) var shared: [Range<Int>] = []
  private(set) var frameCount = 0
  /// The number of times the animation plays; `nil` for endless.
  private(set) var loopCount: Int?
  /// Whether parts of the canvas are ever transparent even if all frames are opaque.
  private(set) var hasTransparentCanvas = false

  /// Reads all complete chunks; a truncated file has fewer frames.
  init(_ bytes: FileBytes, canvas: PixelSize) throws(ImageDecodingError) {
    self.bytes = bytes
    let view = Bytes(bytes.buffer)
    var chunks = PNGChunks(view)
    while let chunk = chunks.next() {
      switch chunk.name {
      case "IHDR" where header.isEmpty: header = chunk.content
      case "acTL" where chunk.isIntact(in: view):
        let plays = view.unsigned32(at: chunk.content.lowerBound + 4) ?? 0
        loopCount = plays == 0 ? nil : plays
      case "fcTL" where chunk.isIntact(in: view):
        let control = try APNGFrameControl(view[chunk.content])
        frameCount += 1
        hasTransparentCanvas =
          hasTransparentCanvas || control.disposal == .clear
          || (frameCount == 1 && (control.disposal != .keep || !control.area.covers(canvas)))
      case let name where Self.sharedNames.contains(name): shared.append(chunk.range)
      default: break
      }
    }
  }
}

/// A frame control chunk, `fcTL` (PNG, third edition, 11.3.6.2).
struct APNGFrameControl {
  let area: PixelArea
  let duration: Duration
  let disposal: FrameDisposal
  let isBlended: Bool

  init(_ content: Bytes) throws(ImageDecodingError) {
    guard let width = content.unsigned32(at: 4), let height = content.unsigned32(at: 8),
      let x = content.unsigned32(at: 12), let y = content.unsigned32(at: 16),
      let numerator = content.unsigned16(at: 20), let denominator = content.unsigned16(at: 22),
      let disposal = content[24], let blend = content[25]
    else { throw .corrupt(.png, reason: "a frame control chunk is too short") }
    area = PixelArea(left: x, top: y, width: width, height: height)
    duration = .microseconds(Int64(numerator) * 1_000_000 / Int64(denominator == 0 ? 100 : denominator))
    self.disposal = [1: .clear, 2: .restore][disposal] ?? .keep
    isBlended = blend == 1
  }
}

/// The frames of an animated PNG file in order, each decoded as a PNG file of its own.
final class APNGFrameSource: FrameSource {
  private let file: APNGFile
  private let decoder: PNGDecoder
  private let options: DecodingOptions
  /// Whether frames are missing at the end of the file.
  private let isCut: Bool
  private var chunks: PNGChunks
  private var control: APNGFrameControl?

  /// - Parameter options: The decoding options of the animation; their target size is ignored.
  init(_ file: APNGFile, decoder: PNGDecoder, isCut: Bool, options: DecodingOptions) {
    self.file = file
    self.decoder = decoder
    self.isCut = isCut
    self.options = options
    chunks = PNGChunks(Bytes(file.bytes.buffer))
  }

  func next() throws -> AnimationPatch? {
    var data: [Range<Int>] = []
    while let chunk = chunks.next() {
      switch chunk.name {
      case "fcTL" where chunk.isIntact(in: Bytes(file.bytes.buffer)):
        let next = try APNGFrameControl(Bytes(file.bytes.buffer)[chunk.content])
        defer { control = next }
        if let control, !data.isEmpty { return patch(control, data) }
      case "IDAT":
        // Image data before the first frame control is the default image, which is not part of the animation.
        if control != nil { data.append(chunk.content) }
      case "fdAT":
        data.append(chunk.content.dropFirst(4))
      case "IEND":
        defer { control = nil }
        return control.flatMap { data.isEmpty ? nil : patch($0, data) }
      default: break
      }
    }
    // The last frame may lack its end; all others are whole.
    defer { control = nil }
    guard let control else {
      if isCut, !options.allowsPartialImage { throw ImageDecodingError.truncated(.png) }
      return nil
    }
    if let rest = chunks.incomplete, rest.name == "fdAT" || rest.name == "IDAT" {
      data.append(rest.content.dropFirst(rest.name == "fdAT" ? 4 : 0))
    }
    guard !data.isEmpty else {
      if options.allowsPartialImage { return nil }
      throw ImageDecodingError.truncated(.png)
    }
    return patch(control, data, isCut: true)
  }

  func rewind() {
    chunks = PNGChunks(Bytes(file.bytes.buffer))
    control = nil
  }

  private func patch(
    _ control: APNGFrameControl, _ data: [Range<Int>], isCut: Bool = false
  ) -> AnimationPatch {
    AnimationPatch(
      area: control.area, disposal: control.disposal, isBlended: control.isBlended, duration: control.duration
    ) { [self] in
      BitmapRowSource(
        try decoder.decode(pngFile(control.area.size, data, isCut: isCut), options: options.ofWholeImage).bitmap)
    }
  }

  /// A PNG file with one frame.
  ///
  /// - Parameter isCut: Whether the animation ends in the frame, so that its data may be incomplete.
  private func pngFile(_ size: PixelSize, _ data: [Range<Int>], isCut: Bool) -> Data {
    var output = Data(file.bytes.buffer[0..<8])
    var header = Data(file.bytes.buffer[file.header])
    for (index, side) in [size.width, size.height].enumerated() {
      header.replaceSubrange(index * 4..<index * 4 + 4, with: Data(bigEndian: side, count: 4))
    }
    output += PNGChunk.encoded("IHDR", header)
    for range in file.shared { output.append(contentsOf: file.bytes.buffer[range]) }
    for range in data { output += PNGChunk.encoded("IDAT", Data(file.bytes.buffer[range])) }
    // A file without `IEND` is decoded as far as its data goes.
    if !isCut { output += PNGChunk.encoded("IEND", Data()) }
    return output
  }
}
