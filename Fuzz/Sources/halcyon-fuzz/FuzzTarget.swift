import Foundation
import Halcyon
import HalcyonImaging

/// Sniffs, probes and decodes bytes in every way that the library offers, and reads and writes their metadata.
///
/// Documented errors are fine; a crash, a leak, a hang or an undocumented kind of error is a finding.
struct FuzzTarget {
  static let shared = FuzzTarget()

  /// The beginning of inputs that are the style sheet of a drawing.
  private static let styleSheetSignature = Data("STYLE:".utf8)

  private let decoders = StandardCodecs.decoders
  /// Small, so that time is spent on parsing, not on pixels.
  private let limits = ImageLimits(pixelCount: 1 << 18, sideLength: 4096)

  func run(_ bytes: Data) {
    // The last byte selects the options; files end in checksums or markers, so it is rarely significant.
    let choice = Int(bytes.last ?? 0)
    let threadCount = Self.threadCount
    defer { waitForThreads(threadCount) }
    if bytes.starts(with: SVGGrammar.signature) {
      let document = SVGGrammar.document(bytes.dropFirst(SVGGrammar.signature.count))
      for decoder in decoders where decoder.formats.contains(.svg) { decode(document, with: decoder, choice: choice) }
      return
    }
    if bytes.starts(with: Self.styleSheetSignature) {
      let sheet = Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><style><![CDATA[".utf8)
      let shapes = Data("]]></style><g class='a'><rect id='b' width='9' height='9'/></g></svg>".utf8)
      let document = sheet + bytes.dropFirst(Self.styleSheetSignature.count) + shapes
      for decoder in decoders where decoder.formats.contains(.svg) { decode(document, with: decoder, choice: choice) }
      return
    }
    if bytes.starts(with: MetadataContainer.signature) {
      for file in MetadataContainer.files(Data(bytes.dropFirst(MetadataContainer.signature.count))) {
        readMetadata(file, choice: choice)
        readMetadata(file, choice: choice | 0x40)
      }
      return
    }
    guard let format = ImageFormat(sniffing: bytes) else { return }
    for decoder in decoders where decoder.formats.contains(format) {
      probe(bytes, with: decoder)
      decode(bytes, with: decoder, choice: choice)
      if format == .jpeg { ReducedJPEG(file: bytes, decoder: decoder, limits: limits).run() }
      if let decoder = decoder as? any ProgressiveImageDecoder {
        attempt { _ = try decoder.preview(bytes, after: choice & 3, options: options(choice)) }
      }
      if let decoder = decoder as? any AnimatedImageDecoder { play(bytes, with: decoder, choice: choice) }
    }
  }

  /// Reads the metadata of a file, decodes the file by it, and writes the metadata again.
  private func readMetadata(_ file: Data, choice: Int) {
    guard let format = ImageFormat(sniffing: file) else { preconditionFailure("the file around a block is damaged") }
    for decoder in decoders where decoder.formats.contains(format) {
      probe(file, with: decoder)
      decode(file, with: decoder, choice: choice)
      guard let metadata = try? decoder.metadata(of: file) else { continue }
      for policy in [MetadataPolicy.keep, .copyright] {
        do {
          guard let kept = policy.applied(to: metadata) else { continue }
          let written = try MetadataContainer.written(kept, as: format)
          let orientation = try decoder.metadata(of: written).info.orientation
          precondition(orientation == .up, "metadata that was written turns the image: \(orientation)")
        } catch {
          precondition(error is ImageEncodingError, "what was written cannot be read: \(error)")
        }
      }
    }
  }

  private func probe(_ bytes: Data, with decoder: any ImageDecoder) {
    attempt { _ = try decoder.probe(bytes, isComplete: true) }
    attempt { _ = try decoder.probe(bytes.prefix(bytes.count / 2), isComplete: false) }
    attempt { _ = try decoder.metadata(of: bytes).description }
  }

  private func decode(_ bytes: Data, with decoder: any ImageDecoder, choice: Int) {
    attempt {
      let options = options(choice)
      let image = try decoder.decode(bytes, options: options)
      let expected = try options.outputSize(for: image.info.pixelSize)
      // Vector images are rendered at the target size, which can be larger than their own.
      precondition(image.info.format == .svg || image.size == expected, "\(image.size) pixels instead of \(expected)")
      if !image.isPartial { precondition(!image.bitmap.isOpaque || hasFullAlpha(image.bitmap), "it is not opaque") }
    }
  }

  private func play(_ bytes: Data, with decoder: any AnimatedImageDecoder, choice: Int) {
    attempt {
      let reader = try decoder.frameReader(for: bytes, options: options(choice))
      var count = 0
      while count < 8, try reader.nextFrame() != nil { count += 1 }
      try reader.rewind()
      _ = try reader.nextFrame()
    }
  }

  private func options(_ choice: Int) -> DecodingOptions {
    let sizes: [TargetSize] = [
      .original, .fit(width: 40, height: 40), .fit(width: 7, height: .max), .fill(width: 16, height: 9),
      .fill(width: 3, height: 30, anchor: .right), .exact(width: 64, height: 48),
    ]
    var options = DecodingOptions(
      size: sizes[choice % sizes.count], limits: limits, allowsPartialImage: choice & 0x80 != 0)
    options.dynamicRange = choice & 0x40 != 0 ? .high : .standard
    return options
  }

  private func hasFullAlpha(_ bitmap: Bitmap) -> Bool {
    if bitmap.dynamicRange == .high { return (try? bitmap.inStandardRange()).map(hasFullAlpha) ?? true }
    return bitmap.withUnsafeBytes { bytes in stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 } }
  }

  /// Waits for the threads of drawings, which end after their callers have gone on: what they hold until then would count
  /// as a leak. Threads that a library keeps are waited for once.
  private func waitForThreads(_ count: Int) {
    var patience = 1000
    while Self.threadCount > count, patience > 0 {
      usleep(1000)
      patience -= 1
    }
  }

  /// 0 on systems other than Linux.
  private static var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }

  private func attempt(_ work: () throws -> Void) {
    do {
      try work()
    } catch {
      precondition(error is ImageDecodingError, "an error of an undocumented kind: \(error)")
    }
  }
}
