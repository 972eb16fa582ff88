import HalcyonImaging
import CZlib
import Foundation

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
