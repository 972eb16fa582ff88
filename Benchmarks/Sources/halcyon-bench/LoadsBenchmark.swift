#if os(Linux)
import BenchMetric
import CMalloc
import Foundation
import Halcyon
import HalcyonImaging
@_spi(Programs) import HalcyonPipeline
import HalcyonTransport
import HalcyonCodecs
import HalcyonTesting

/// What a load costs the pipeline itself: CPU time without codec and socket, and memory while it waits for a connection.
enum LoadsBenchmark {
  private static let coldCount = 2000
  private static let waitingCount = 10_000

  static func run() async throws {
    try await coldLoads()
    try await waitingLoads()
  }

  /// The bytes of images that no cache has, loaded one after another, compared with the transport alone.
  private static func coldLoads() async throws {
    let bitmap = try Bitmap(size: PixelSize(width: 10, height: 10), isOpaque: true) { _ in }
    let image = try StandardCodecs.encoder(for: .png).encode(bitmap, options: EncodingOptions())
    let urls = (0..<coldCount).compactMap { URL(string: "https://images.example.com/albums/2026/photo-\($0).png") }
    var (loads, transfers): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds(9) {
      let transport = ScriptedTransport { _ in .response(body: image, headers: ["Content-Type": "image/png"]) }
      let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, ImageCache(disk: nil)) }
      loads.append(
        try await processorMicroseconds {
          for url in urls { _ = try await pipeline.data(for: ImageRequest(url: url)) }
        })
      transfers.append(
        try await processorMicroseconds {
          for url in urls {
            let response = try await transport.response(to: TransportRequest(url: url))
            for try await _ in response.body {}
          }
        })
    }
    Metric(name: "pipeline_cold_load_processor", value: median(loads), unit: "us").report()
    Metric(name: "scripted_transfer_processor", value: median(transfers), unit: "us").report()
    let ratio = median(zip(loads, transfers).map { $0 / $1 })
    Metric(name: "pipeline_cold_load_to_transfer", value: ratio, unit: "ratio").report()
  }

  /// The memory that the allocator has given out for each load that waits for a connection, compared with a task that
  /// waits for nothing else.
  private static func waitingLoads() async throws {
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

  /// The CPU time of the process for each of the loads.
  private static func processorMicroseconds(_ work: () async throws -> Void) async rethrows -> Double {
    let start = processorNanoseconds()
    try await work()
    return (processorNanoseconds() - start) / Double(coldCount) / 1000
  }

  private static func processorNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
#endif
