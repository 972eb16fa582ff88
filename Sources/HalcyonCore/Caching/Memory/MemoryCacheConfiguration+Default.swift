import Foundation

extension MemoryCacheConfiguration {
  /// A quarter of the memory that this process may use, in bytes.
  public static let defaultCostLimit = Int(clamping: ProcessInfo.processInfo.physicalMemory / 4)
}
