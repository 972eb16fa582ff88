#if IMAGEIO
package import HalcyonImaging
package import Foundation

extension JPEGDecoder {
  /// Decodes a complete file at the target size, or a truncated one if the options allow a partial image.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.jpeg) }
    let profile = bytes.withUnsafeBytes { header.profileParts.profile(in: $0) }
    var options = options
    let isHigh = options.dynamicRange == .high
    let map = bytes.withUnsafeBytes { isHigh ? JPEGGainMap.find(header, in: $0) : header.hiddenGainMap(in: $0) }
    let gainMap = isHigh ? map?.encoded(for: header, limits: options.limits) : nil
    // The map was made for the colours of the file.
    if gainMap != nil { options.colorSpace = .source }
    // The map is applied here, not by the system.
    var planned = options
    planned.dynamicRange = .standard
    let plan = try DecodingPlan(info: header.info(with: map), isWide: profile?.isWide ?? false, options: planned)
    let truncation = PartialImagePolicy(isAccepted: options.allowsPartialImage)
    if !bytes.withUnsafeBytes({ JPEGSegments.isComplete($0) }) {
      guard truncation.isAccepted else { throw ImageDecodingError.truncated(.jpeg) }
      truncation.isFound = true
    }
    let decoder = SystemDecoder(graphs: graphs, isCancelled: options.isCancelled)
    let image = try plan.image(colors: mapping(header, profile, to: plan.colorSpace), truncation: truncation) {
      try decoder.bitmap(of: bytes, plan: plan, truncation: truncation)
    }
    guard let gainMap, let map else { return image }
    // Its samples are not colours: as sRGB the system does not convert them.
    planned.colorSpace = .sRGB
    let mapPlan = try DecodingPlan(info: header.info, options: planned)
    return try gainMap.added(to: image, plan, options) { _ in
      let file = try JPEGSegments.stripped(bytes.withUnsafeBytes { Data($0[map.range]) }, keepsProfile: false)
      return try decoder.bitmap(of: file, plan: mapPlan, storedSize: map.header.size)
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
