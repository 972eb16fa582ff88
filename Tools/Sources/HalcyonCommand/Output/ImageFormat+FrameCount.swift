import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonImaging

extension ImageFormat {
  /// The number of frames in a file of this format that was written; 1 if it is not read.
  func frameCount(of file: Data) throws -> Int {
    guard StandardCodecs.readable.contains(self) else { return 1 }
    return try StandardCodecs.decoder(for: self).probe(file, isComplete: true)?.frameCount ?? 1
  }
}
