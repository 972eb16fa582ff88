import HalcyonImaging
import CZlib
import Foundation

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

/// What the chunk `fcTL` says about a picture (PNG, third edition, 11.3.6.2).
private struct APNGControl {
  let area: PixelArea
  let duration: Duration
  let disposal: FrameDisposal
  let isBlended: Bool

  init(_ content: Bytes) throws(ImageDecodingError) {
    guard let width = content.unsigned32(at: 4), let height = content.unsigned32(at: 8),
      let x = content.unsigned32(at: 12), let y = content.unsigned32(at: 16),
      let numerator = content.unsigned16(at: 20), let denominator = content.unsigned16(at: 22),
      let disposal = content[24], let blend = content[25]
    else { throw .corrupt(.png, reason: "the control of a picture is too short") }
    area = PixelArea(x: x, y: y, size: PixelSize(width: width, height: height))
    duration = .microseconds(numerator * 1_000_000 / (denominator == 0 ? 100 : denominator))
    self.disposal = [1: .clear, 2: .restore][disposal] ?? .keep
    isBlended = blend == 1
  }
}

/// The pictures of an animated PNG file in order, each decoded as a PNG file of its own.
final class APNGFrameSource: PictureSource {
  private let file: APNGFile
  private let decoder: PNGDecoder
  private let options: DecodingOptions
  private var chunks: PNGChunks
  private var control: APNGControl?

  /// - Parameter options: What is asked for the animation; its size does not matter here.
  init(_ file: APNGFile, decoder: PNGDecoder, options: DecodingOptions) {
    self.file = file
    self.decoder = decoder
    self.options = options
    chunks = PNGChunks(Bytes(file.bytes.buffer))
  }

  func next() throws -> AnimationPatch? {
    var data: [Range<Int>] = []
    while let chunk = chunks.next() {
      switch chunk.name {
      case "fcTL":
        let next = try APNGControl(Bytes(file.bytes.buffer)[chunk.content])
        defer { control = next }
        if let control, !data.isEmpty { return picture(control, data) }
      case "IDAT":
        // Pixels before the first control are for readers that know no animation.
        if control != nil { data.append(chunk.content) }
      case "fdAT":
        data.append(min(chunk.content.lowerBound + 4, chunk.content.upperBound)..<chunk.content.upperBound)
      case "IEND":
        defer { control = nil }
        return control.flatMap { data.isEmpty ? nil : picture($0, data) }
      default: break
      }
    }
    if control != nil { throw ImageDecodingError.truncated(.png) }
    return nil
  }

  func rewind() {
    chunks = PNGChunks(Bytes(file.bytes.buffer))
    control = nil
  }

  private func picture(_ control: APNGControl, _ data: [Range<Int>]) -> AnimationPatch {
    AnimationPatch(
      area: control.area, disposal: control.disposal, isBlended: control.isBlended, duration: control.duration
    ) { [self] in
      BitmapRowSource(try decoder.decode(still(control.area.size, data), options: whole).bitmap)
    }
  }

  private var whole: DecodingOptions {
    var whole = options
    whole.size = .original
    return whole
  }

  /// A PNG file that holds one picture.
  private func still(_ size: PixelSize, _ data: [Range<Int>]) -> Data {
    var still = Data(file.bytes.buffer[0..<8])
    var header = Data(file.bytes.buffer[file.header])
    for (index, side) in [size.width, size.height].enumerated() {
      header.replaceSubrange(index * 4..<index * 4 + 4, with: Self.bigEndian(side))
    }
    Self.append("IHDR", header, to: &still)
    for range in file.shared { still.append(contentsOf: file.bytes.buffer[range]) }
    for range in data { Self.append("IDAT", Data(file.bytes.buffer[range]), to: &still) }
    Self.append("IEND", Data(), to: &still)
    return still
  }

  private static func append(_ name: String, _ content: Data, to file: inout Data) {
    let body = Data(name.utf8) + content
    let checksum = body.withUnsafeBytes { bytes in
      crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
    }
    file.append(contentsOf: bigEndian(content.count))
    file.append(body)
    file.append(contentsOf: bigEndian(Int(checksum)))
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
