extension MemoryCacheConfiguration {
  /// A quarter of the memory that this process may use, in bytes: of the control group's `memory.max` on Linux where it
  /// has one, else of what the machine has.
  public static let defaultCostLimit = AvailableMemory().bytes / 4
}
