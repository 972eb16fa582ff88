#if !IMAGEIO
import HalcyonImaging

/// The rows of a progressive file at a reduced scale, from the coefficients of all scans.
final class ProgressiveRows: ReducedRows {
  private let planes: [ProgressiveCoefficients]
  private let work: ReducedWork
  private var row = 0

  /// Decodes the scans that are needed; `nil` if data is damaged or unusual.
  init?(
    _ scans: ProgressiveScans, file: UnsafeRawBufferPointer, isCancelled: () -> Bool
  ) throws(ImageDecodingError) {
    var planes: [ProgressiveCoefficients] = []
    work = ReducedWork(scans.frame)
    for (index, component) in scans.frame.components.enumerated() {
      guard let steps = scans.steps[index] else { return nil }
      let isRefined = scans.isRefined(component: index)
      guard let plane = ProgressiveCoefficients(component, units: scans.frame.units, isRefined: isRefined) else {
        throw .outOfMemory(scans.frame.size)
      }
      planes.append(plane)
      work.setSteps(steps, component: index, side: component.side)
    }
    let bytes = JPEGScanBytes(file)
    for scan in scans.scans {
      var reader = ProgressiveScanReader(scan, frame: scans.frame, coefficients: planes, bytes: bytes)
      guard try reader.read(isCancelled: isCancelled) else { return nil }
    }
    self.planes = planes
  }

  func readRow(into targets: [ReducedTarget]) -> Bool {
    var excess: Int32 = 0
    for (index, plane) in planes.enumerated() {
      let (side, target) = (plane.component.side, targets[index])
      let steps = work.placedSteps(component: index)
      for line in 0..<plane.component.down {
        let values = plane.values + (row * plane.component.down + line) * plane.blocksAcross * plane.count
        let start = target.start + line * side * target.stride
        for block in 0..<plane.blocksAcross {
          transform(
            values + block &* plane.count, steps, side: side, into: start + block &* side, stride: target.stride,
            &excess)
        }
      }
    }
    row += 1
    return excess == 0
  }

  @inline(__always)
  private func transform(
    _ values: UnsafePointer<Int16>, _ steps: UnsafePointer<Int32>, side: Int, into target: UnsafeMutablePointer<UInt8>,
    stride: Int, _ excess: inout Int32
  ) {
    let coefficients = work.coefficients
    var others: Int32 = 0
    for index in 0..<side &* side {
      let value = Int32(values[index]) &* steps[index]
      coefficients[index] = value
      excess |= ReducedTransform.excess(value)
      if index > 0 { others |= value }
    }
    if others == 0 {
      ReducedTransform.flat(coefficients[0], side: side, into: target, stride: stride)
    } else if side == 2 {
      ReducedTransform.two(coefficients, into: target, stride: stride)
    } else {
      ReducedTransform.four(coefficients, into: target, stride: stride)
    }
  }
}
#endif
