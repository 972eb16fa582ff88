import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestTraits
import Testing

/// Random operations on a memory cache, checked against a dictionary as a model.
///
/// `HALCYON_MODEL_STEPS` sets the number of operations; 1,000,000 is the thorough run.
@Suite(.integrationTest)
struct CacheModelTests {
  private static let stepCount =
    ProcessInfo.processInfo.environment["HALCYON_MODEL_STEPS"].flatMap(Int.init) ?? 100_000

  @Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed], [false, true])
  func `random operations agree with a dictionary`(policy: EvictionPolicy, findsImagesInUse: Bool) throws {
    var run = try CacheModelRun(policy: policy, findsImagesInUse: findsImagesInUse)
    for step in 0..<Self.stepCount / 4 {
      if let problem = run.step(step) {
        Issue.record("step \(step): \(problem)")
        return
      }
    }
  }
}
