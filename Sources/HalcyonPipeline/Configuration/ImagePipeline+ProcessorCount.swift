import Foundation

extension PipelineConfiguration {
  static var processorCount: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
