#if IMAGEIO
package import HalcyonImaging
package import Foundation

extension JPEGDecoder {
  /// Decodes a complete file at the target size, or a truncated one if the options allow a partial image.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.jpeg) }
    let profile = bytes.withUnsafeBytes { header.profileParts.profile(in: $0) }
    let plan = try DecodingPlan(info: header.info, isWide: profile?.isWide ?? false, options: options)
    let truncation = PartialImagePolicy(isAccepted: options.allowsPartialImage)
    if !bytes.withUnsafeBytes({ JPEGSegments.isComplete($0) }) {
      guard truncation.isAccepted else { throw ImageDecodingError.truncated(.jpeg) }
      truncation.isFound = true
    }
    return try plan.image(colors: mapping(header, profile, to: plan.colorSpace), truncation: truncation) {
      try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled)
        .bitmap(of: bytes, plan: plan, truncation: truncation)
    }
  }

  /// Decodes the bytes that have been received.
  func decodeReceived(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    var options = options
    options.allowsPartialImage = true
    return try decode(bytes, options: options)
  }

  private func mapping(_ header: JPEGHeader, _ profile: ColorDescription?, to space: ColorSpace) -> ColorMapping {
    guard case .profile(let profile) = profile else { return ColorMapping(colorSpace: space) }
    return .bySystem(profile, model: header.colorModel, to: space)
  }

  /// The picture of a thumbnail at the planned size of the whole image.
  func image(
    ofThumbnail thumbnail: UnsafeRawBufferPointer, _ small: JPEGHeader, of header: JPEGHeader,
    in buffer: UnsafeRawBufferPointer, options: DecodingOptions
  ) throws -> DecodedImage {
    let plan = try DecodingPlan(info: header.info, options: options)
    return try plan.image(colors: ColorMapping(colorSpace: plan.colorSpace), truncation: .found) {
      try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled)
        .bitmap(of: Data(thumbnail), plan: plan, storedSize: small.size)
    }
  }
}
#endif
