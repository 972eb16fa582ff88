#if !IMAGEIO
import Foundation

/// The coefficients of a component that a reduced scale needs.
final class ProgressiveCoefficients {
  let component: ReducedFrame.Component
  /// The blocks in a row, with those that complete the last MCU.
  let blocksAcross: Int
  /// The coefficients of a block.
  let count: Int
  let values: UnsafeMutablePointer<Int16>
  /// For each block, a bit for each coefficient that is not zero; only if scans refine AC coefficients.
  let nonzero: UnsafeMutablePointer<UInt64>?

  /// Zeros; `nil` if there is no memory.
  init?(_ component: ReducedFrame.Component, units: (across: Int, down: Int), isRefined: Bool) {
    self.component = component
    blocksAcross = units.across * component.across
    count = component.side * component.side
    let blockCount = blocksAcross * units.down * component.down
    // calloc gives pages that take no memory until they are written to.
    guard let values = calloc(blockCount * count, MemoryLayout<Int16>.stride) else { return nil }
    var nonzero: UnsafeMutableRawPointer?
    if isRefined {
      nonzero = calloc(blockCount, MemoryLayout<UInt64>.stride)
      guard nonzero != nil else {
        free(values)
        return nil
      }
    }
    self.values = values.bindMemory(to: Int16.self, capacity: blockCount * count)
    self.nonzero = nonzero?.bindMemory(to: UInt64.self, capacity: blockCount)
  }

  deinit {
    free(values)
    free(nonzero)
  }
}
#endif
