import Foundation
import Halcyon
import HalcyonImaging

/// Decodes JPEG files at reduced scales with Halcyon's own decoder, and compares them with libjpeg.
///
/// Libjpeg decodes small files; a long comment makes a file large enough for Halcyon's decoder.
struct ReducedJPEG {
  /// An array, since the leak sanitizer does not find the pointer in a `Data`.
  private static let comment: [UInt8] = [0xFF, 0xFE, 0x40, 0x02] + Array(repeating: 0, count: 0x4000)

  let file: Data
  let decoder: any ImageDecoder
  let limits: ImageLimits

  func run() {
    guard file.count < Self.comment.count, let info = try? decoder.probe(file, isComplete: true) else { return }
    let large = file.prefix(2) + Self.comment + file.dropFirst(2)
    let side = max(info.storedSize.width, info.storedSize.height)
    for divisor in [20, 8, 4] {
      for allowsPartialImage in [false, true] {
        let options = DecodingOptions(
          size: .fit(width: max(1, side / divisor), height: max(1, side / divisor)), limits: limits,
          allowsPartialImage: allowsPartialImage)
        let expected = Result { try decoder.decode(file, options: options) }
        let result = Result { try decoder.decode(large, options: options) }
        check(result, expected, isExact: isEighth(info.pixelSize, options) && !hasFourfoldSampling)
      }
    }
  }

  private func check(
    _ result: Result<DecodedImage, any Error>, _ expected: Result<DecodedImage, any Error>, isExact: Bool
  ) {
    switch (result, expected) {
    case (.success(let image), .success(let expected)):
      precondition(image.size == expected.size && image.isPartial == expected.isPartial, "another kind of image")
      precondition(!isExact || hasEqualPixels(image.bitmap, expected.bitmap), "other pixels than libjpeg's")
    case (.failure(let error as ImageDecodingError), .failure(let expected as ImageDecodingError)):
      precondition(error == expected, "\(error) instead of \(expected)")
    default: preconditionFailure("\(result) instead of \(expected)")
    }
  }

  /// Whether the image is decoded at an eighth of its size.
  private func isEighth(_ size: PixelSize, _ options: DecodingOptions) -> Bool {
    guard let output = try? options.outputSize(for: size) else { return false }
    return size.width >= output.width * 16 && size.height >= output.height * 16
  }

  /// Whether chroma may be decoded at twice the scale, where the transforms differ.
  private var hasFourfoldSampling: Bool {
    let bytes = [UInt8](file)
    return bytes.indices.dropLast(17).contains { start in
      guard bytes[start] == 0xFF, (0xC0...0xC2).contains(bytes[start + 1]) else { return false }
      // The sampling factors of three components.
      return [11, 14, 17].contains { offset in
        let factors = bytes[start + offset]
        return factors >> 4 == 4 || factors & 15 == 4
      }
    }
  }

  private func hasEqualPixels(_ first: Bitmap, _ second: Bitmap) -> Bool {
    first.withUnsafeBytes { first in second.withUnsafeBytes { first.elementsEqual($0) } }
  }
}
