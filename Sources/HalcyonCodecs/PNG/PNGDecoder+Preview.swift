public import HalcyonImaging
public import Foundation

extension PNGDecoder: ProgressiveImageDecoder {
  /// The passes of an interlaced image that are there; one without interlacing has no preview.
  public func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard stage < Adam7.passCount, let header = try parse(prefix), header.isInterlaced else { return nil }
    let plan = try DecodingPlan(info: header.info, options: options)
    let truncation = PartialImagePolicy(isAccepted: true)
    truncation.isFound = true
    return try prefix.withUnsafeBytes { buffer in
      let bytes = PNGTruncatedFile.repaired(buffer) ?? Array(buffer)
      let (image, passCount) = try bytes.withUnsafeBytes {
        try draw($0, header, plan: plan, truncation: truncation, options: options)
      }
      return passCount > stage ? ImagePreview(image: image, stage: passCount) : nil
    }
  }
}
