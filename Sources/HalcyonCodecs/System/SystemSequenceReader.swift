import Foundation
import HalcyonImaging

/// The frames of an AVIF or HEIC image sequence, decoded by the system. They are complete images, so none is composed.
///
/// Where the system finds another number of frames than the header states, the file is shown as a still image.
final class SystemSequenceReader: ImageFrameReader {
  let animation: AnimationInfo

  private let file: Data
  private let durations: FrameDurationRuns
  private let plan: DecodingPlan
  private let decoder: SystemDecoder
  private let isSequence: Bool
  private var index = 0

  init(file: Data, header: HEIFImageHeader, plan: DecodingPlan, decoder: SystemDecoder) {
    self.file = file
    durations = header.frameDurations
    self.plan = plan
    self.decoder = decoder
    isSequence = header.frameCount > 1 && decoder.reader.imageCount(of: file) == header.frameCount
    animation = AnimationInfo(frameCount: isSequence ? header.frameCount : 1, loopCount: header.loopCount)
  }

  func nextFrame() throws -> AnimationFrame? {
    guard index < animation.frameCount else { return nil }
    let image = try plan.image(colors: ColorMapping(colorSpace: plan.colorSpace)) {
      try decoder.bitmap(of: file, at: isSequence ? index : nil, plan: plan)
    }
    defer { index += 1 }
    return AnimationFrame(
      bitmap: image.bitmap, duration: FrameDuration.displayed(seconds: durations.seconds(ofFrame: index)))
  }

  func rewind() { index = 0 }
}
