import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Random operations of writers that share a folder, some of which crash, checked against a dictionary as a model.
///
/// `HALCYON_MODEL_STEPS` sets a hundred times the number of operations; 1,000,000 is the thorough run.
@Suite(.integrationTest, .slow)
struct DiskModelTests {
  private static let stepCount =
    (ProcessInfo.processInfo.environment["HALCYON_MODEL_STEPS"].flatMap(Int.init) ?? 100_000) / 100

  @Test(arguments: [300_000, 1 << 20])
  func `under random operations and crashes, entries are what was stored, and the limit holds`(sizeLimit: Int)
    async throws
  {
    try await TemporaryDirectory.run { folder in
      var run = try await DiskModelRun(folder: folder, sizeLimit: sizeLimit)
      for step in 0..<Self.stepCount / 2 {
        if let problem = try await run.step() {
          Issue.record("step \(step): \(problem)")
          return
        }
      }
    }
  }
}
