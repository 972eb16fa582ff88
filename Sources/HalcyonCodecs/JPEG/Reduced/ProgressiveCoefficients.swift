#if !IMAGEIO
import Foundation

/// The coefficients of a component that a reduced scale needs.
final class ProgressiveCoefficients {
  /// Valid as long as the object.
  struct Plane {
    /// The sampling factors.
    let across: Int
    let down: Int
    let side: Int
    /// The blocks in a row, with those that complete the last MCU.
    let blocksAcross: Int
    /// The coefficients of a block, in columns.
    let values: UnsafeMutablePointer<Int16>
    /// For each block, a bit for each coefficient that is not zero, if scans refine them.
    let nonzero: UnsafeMutablePointer<UInt64>?

    var count: Int { side &* side }
  }

  let plane: Plane

  private let memory: UnsafeMutableRawPointer

  /// All coefficients are 0. `nil` if there is no memory.
  init?(_ component: ReducedFrame.Component, units: (across: Int, down: Int), isRefined: Bool) {
    let blocksAcross = units.across * component.across
    let blockCount = blocksAcross * units.down * component.down
    let count = blockCount * component.side * component.side
    let maskByteCount = isRefined ? blockCount * MemoryLayout<UInt64>.stride : 0
    // Pages of calloc take no memory until they are written to.
    guard let memory = calloc(maskByteCount + count * MemoryLayout<Int16>.stride, 1) else { return nil }
    self.memory = memory
    plane = Plane(
      across: component.across, down: component.down, side: component.side, blocksAcross: blocksAcross,
      values: (memory + maskByteCount).bindMemory(to: Int16.self, capacity: count),
      nonzero: isRefined ? memory.bindMemory(to: UInt64.self, capacity: blockCount) : nil)
  }

  deinit { free(memory) }
}
#endif
