#if !IMAGEIO
/// Memory that the loops of a scan use without checks.
final class ReducedWork {
  /// What happens to a coefficient.
  struct Step {
    var step: Int32
    /// Its place among those that are needed, or after them.
    var place: Int
  }

  /// The last DC coefficient of each component.
  let predictions: UnsafeMutablePointer<Int32>
  /// Coefficients of a block, and one that is not needed.
  let coefficients: UnsafeMutablePointer<Int32>

  private static let componentLimit = 4
  private let steps: UnsafeMutablePointer<Step>
  private let placedSteps: UnsafeMutablePointer<Int32>

  init(_ frame: ReducedFrame) {
    predictions = .allocate(capacity: Self.componentLimit)
    predictions.initialize(repeating: 0, count: Self.componentLimit)
    coefficients = UnsafeMutableRawPointer.allocate(byteCount: 32 * 4, alignment: 16).bindMemory(
      to: Int32.self, capacity: 32)
    coefficients.initialize(repeating: 0, count: 32)
    steps = .allocate(capacity: Self.componentLimit * 64)
    placedSteps = .allocate(capacity: Self.componentLimit * 17)
    placedSteps.initialize(repeating: 0, count: Self.componentLimit * 17)
    steps.initialize(repeating: Step(step: 0, place: 0), count: Self.componentLimit * 64)
  }

  deinit {
    predictions.deallocate()
    coefficients.deallocate()
    steps.deallocate()
    placedSteps.deallocate()
  }

  func resetPredictions() { predictions.update(repeating: 0, count: Self.componentLimit) }

  /// The steps of a component in zigzag order.
  func steps(component: Int) -> UnsafePointer<Step> { UnsafePointer(steps + component * 64) }

  /// The steps of the coefficients that are needed, in their places.
  func placedSteps(component: Int) -> UnsafePointer<Int32> { UnsafePointer(placedSteps + component * 17) }

  /// - Parameter steps: The quantisation steps in zigzag order.
  func setSteps(_ steps: [Int32], component: Int, side: Int) {
    for (index, place) in ReducedTransform.places(side: side).enumerated() {
      self.steps[component * 64 + index] = Step(step: steps[index], place: place)
      placedSteps[component * 17 + place] = steps[index]
    }
  }

  /// For targets that are not known yet.
  var placeholder: UnsafeMutablePointer<UInt8> {
    UnsafeMutableRawPointer(coefficients).assumingMemoryBound(to: UInt8.self)
  }
}
#endif
