#if os(Linux)
import BenchMetric
import CMalloc
import Foundation
import Halcyon
@_spi(Programs) import HalcyonPipeline
import HalcyonTransport

/// The memory that a load takes while it waits for a connection.
enum LoadsBenchmark {
  private static let waitingCount = 10_000

  /// The memory that the allocator has given out for each load that waits for a connection, compared with a task that
  /// waits for nothing else.
  static func run() async throws {
    let origin = try OriginProcess()
    defer { origin.stop() }
    // The server delays these responses by ten minutes.
    let requests = try (0..<waitingCount).map { ImageRequest(url: try origin.url("600000/small/\($0).jpg")) }
    try await measureWaiting("image", requests, goal: 8) { _ = try await $0.image(for: $1) }
    try await measureWaiting("data", requests, goal: 4) { _ = try await $0.data(for: $1) }
    let (end, continuation) = AsyncStream<Never>.makeStream()
    let before = allocatedByteCount
    let tasks = (0..<waitingCount).map { _ in Task { for await _ in end {} } }
    Metric(name: "waiting_task_memory", value: kilobytes(since: before), unit: "KB").report()
    continuation.finish()
    for task in tasks { await task.value }
  }

  private static func measureWaiting(
    _ name: String, _ requests: [ImageRequest], goal: Double,
    _ load: @escaping @Sendable (ImagePipeline, ImageRequest) async throws -> Void
  ) async throws {
    var configuration = PipelineConfiguration()
    configuration.transport = CurlTransport()
    configuration.cache = ImageCache(disk: nil)
    configuration.connectionLimits.waiting = waitingCount
    let pipeline = ImagePipeline(configuration: configuration)
    let before = allocatedByteCount
    let tasks = requests.map { request in Task { try await load(pipeline, request) } }
    while pipeline.activeLoadCount < waitingCount { try await Task.sleep(for: .milliseconds(10)) }
    // The last loads have begun, and now get to where they wait.
    try await Task.sleep(for: .seconds(1))
    let memory = kilobytes(since: before)
    Metric(name: "waiting_\(name)_load_memory", value: memory, unit: "KB", goal: .atMost(goal)).report()
    pipeline.invalidate()
    for task in tasks { _ = await task.result }
  }

  private static func kilobytes(since before: Int) -> Double {
    Double(allocatedByteCount - before) / Double(waitingCount) / 1000
  }

  /// The bytes in use of the allocator (mallinfo2(3)).
  private static var allocatedByteCount: Int {
    let info = mallinfo2()
    return info.uordblks + info.hblkhd
  }
}
#endif
