#if !IMAGEIO
import HalcyonImaging

/// The rows of a progressive file at a reduced scale, from the coefficients of all scans.
final class ProgressiveRows: ReducedRows {
  private let coefficients: [ProgressiveCoefficients]
  /// For each component, the steps of the coefficients that are needed, in their places.
  private var steps: [[Int32]] = []
  private var row = 0

  /// Decodes the scans that are needed; `nil` if data is damaged or unusual.
  init?(
    _ scans: ProgressiveScans, file: UnsafeRawBufferPointer, isCancelled: () -> Bool
  ) throws(ImageDecodingError) {
    var coefficients: [ProgressiveCoefficients] = []
    for (index, component) in scans.frame.components.enumerated() {
      guard let steps = scans.steps[index] else { return nil }
      let isRefined = scans.isRefined(component: index)
      guard let plane = ProgressiveCoefficients(component, units: scans.frame.units, isRefined: isRefined) else {
        throw .outOfMemory(scans.frame.size)
      }
      coefficients.append(plane)
      var placed = [Int32](repeating: 0, count: component.side * component.side + 1)
      for (step, place) in zip(steps, ReducedTransform.places(side: component.side)) { placed[place] = step }
      self.steps.append(placed)
    }
    let bytes = JPEGScanBytes(file)
    for scan in scans.scans {
      var reader = ProgressiveScanReader(scan, frame: scans.frame, planes: coefficients.map(\.plane), bytes: bytes)
      guard try reader.read(isCancelled: isCancelled) else { return nil }
    }
    self.coefficients = coefficients
  }

  func readRow(into targets: [ReducedTarget]) -> Bool {
    var excess: Int32 = 0
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { memory in
      guard let work = memory.bindMemory(to: Int32.self).baseAddress else { return }
      for (index, plane) in coefficients.map(\.plane).enumerated() {
        let target = targets[index]
        for line in 0..<plane.down {
          let values = plane.values + (row * plane.down + line) * plane.blocksAcross * plane.count
          let start = target.start + line * plane.side * target.stride
          for block in 0..<plane.blocksAcross {
            transform(
              values + block &* plane.count, steps[index], side: plane.side, in: work,
              into: start + block &* plane.side,
              stride: target.stride, &excess)
          }
        }
      }
    }
    row += 1
    return excess == 0
  }

  @inline(__always)
  private func transform(
    _ values: UnsafePointer<Int16>, _ steps: [Int32], side: Int, in work: UnsafeMutablePointer<Int32>,
    into target: UnsafeMutablePointer<UInt8>, stride: Int, _ excess: inout Int32
  ) {
    var others: Int32 = 0
    for index in 0..<side &* side {
      let value = Int32(values[index]) &* steps[index]
      work[index] = value
      excess |= ReducedTransform.excess(value)
      if index > 0 { others |= value }
    }
    if others == 0 {
      ReducedTransform.flat(work[0], side: side, into: target, stride: stride)
    } else {
      ReducedTransform.samples(work, side: side, into: target, stride: stride)
    }
  }
}
#endif
