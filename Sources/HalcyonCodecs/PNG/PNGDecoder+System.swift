#if IMAGEIO
import HalcyonImaging
import Foundation

extension PNGDecoder {
  /// The image, and the number of complete Adam7 passes if it is interlaced.
  func draw(
    _ buffer: UnsafeRawBufferPointer, _ header: PNGHeader, plan: DecodingPlan, reading: PNGReading,
    options: DecodingOptions
  ) throws -> (image: DecodedImage, passCount: Int) {
    let truncation = reading == .partial ? PartialImagePolicy.found : PartialImagePolicy(isAccepted: false)
    let mapping = try PNGSystemLimits.mapping(header, in: buffer, to: plan.colorSpace)
    let image = try plan.image(colors: mapping, truncation: truncation) {
      try SystemDecoder(graphs: graphs, isCancelled: options.isCancelled).bitmap(
        of: Data(buffer), plan: plan, truncation: truncation)
    }
    return (image, header.isInterlaced ? PNGReceivedPasses(header).count(in: buffer) : 0)
  }
}
#endif
