import Foundation

extension ImagePipeline.Configuration {
  static var processorCount: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
