import Foundation
import HalcyonImaging

/// Decides what is encoded, and what is stored as original bytes.
extension StoragePolicy {
  /// Whether images are encoded; otherwise only original bytes are stored.
  var encodesImages: Bool {
    if case .original = format { false } else { true }
  }

  /// The policy for an image whose original bytes are not known, so that it has to be encoded.
  var withoutOriginal: StoragePolicy { encodesImages ? self : .automatic }

  /// The format and options to encode `image` with; `nil` if its original bytes are to be stored. Reads every pixel of
  /// an image that may be transparent.
  func encoding(of image: DecodedImage) -> (format: ImageFormat, options: EncodingOptions)? {
    switch format {
    case .original: nil
    case .automatic where image.animation != nil: nil
    case .automatic where image.bitmap.hasTransparentPixel: (.png, EncodingOptions())
    case .automatic(let quality): (.jpeg, EncodingOptions(quality: quality))
    case .encoded(let format, let quality): (format, options(quality: quality))
    }
  }

  /// The options for a format that the policy names.
  func options(quality: Double) -> EncodingOptions {
    var options = EncodingOptions(quality: quality)
    options.colorLimit = colorLimit.map { Int($0) }
    return options
  }

  /// The encoded image; `nil` if its original bytes are to be stored.
  ///
  /// - Parameters:
  ///   - original: The encoded bytes that the image was made from, for their metadata; `nil` if they are not known.
  ///   - decoders: Read the metadata.
  func encoded(
    _ image: DecodedImage, by encoders: [any ImageEncoder], original: Data? = nil, decoders: DecoderTable? = nil
  ) throws -> Data? {
    guard let (format, encoding) = encoding(of: image) else { return nil }
    let options = adding(metadataOf: original, image.info.format, decoders, to: encoding)
    let encoder = try encoders.encoder(for: format)
    return try encoder.fitting(options, byteLimit: byteLimit) { try encoder.encode(image.bitmap, options: $0) }
  }

  /// Options with the metadata that the policy takes from the original bytes.
  func adding(
    metadataOf original: Data?, _ format: ImageFormat, _ decoders: DecoderTable?, to options: EncodingOptions
  ) -> EncodingOptions {
    guard metadata != .strip, let original, let decoder = try? decoders?.decoder(for: format) else { return options }
    var options = options
    options.metadata = (try? decoder.metadata(of: original)).flatMap(metadata.applied)
    return options
  }
}

extension ImageRequest {
  /// Whether the original bytes are stored, besides the image that the policy encodes.
  var storesOriginal: Bool { storagePolicy.keepsOriginal || !encodesImages }

  /// Whether the original bytes are stored in place of an image: encoding an animation would drop its frames, and
  /// ``StoragePolicy/automatic`` does not encode an image again that was neither downsampled nor processed.
  func storesOriginalBytes(of image: DecodedImage) -> Bool {
    if image.animation != nil { return true }
    return switch storagePolicy.format {
    case .original: true
    case .automatic: processors.isEmpty && image.size == image.info.pixelSize
    case .encoded: false
    }
  }
}
