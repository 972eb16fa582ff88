#if os(Linux)
import BenchMetric
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCache
import HalcyonCodecs
import HalcyonTesting

/// The overhead of the pipeline.
///
/// With `CLOCK=cpu` in the environment, CPU time is measured instead of wall-clock time, for busy machines.
enum PipelineBenchmark {
  static func run() async throws {
    try await memoryHits()
    try await sharedLoads()
  }

  /// Memory hits through the whole pipeline: latency and suspensions.
  private static func memoryHits() async throws {
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    let requests = (0..<1000).map { number in
      ImageRequest(
        source: .string("https://images.example.com/albums/2026/photo-\(number).jpg"),
        size: .fit(width: 400, height: 300))
    }
    for request in requests { try await pipeline.store(blankImage(), for: request) }
    let reader = Reader(pipeline: pipeline, requests: requests)
    var times: [Double] = []
    for _ in 0..<rounds(7) { times.append(try await reader.nanosecondsPerHit(count: 100_000)) }
    Metric(name: "pipeline_memory_hit", value: median(times) / 1000, unit: "us", goal: .atMost(2)).report()
    let suspensions = try await reader.suspensions(count: 100_000)
    Metric(name: "pipeline_memory_hit_suspensions", value: Double(suspensions), unit: "count", goal: .atMost(0))
      .report()
  }

  /// Coalescing: 10,000 requests for 100 images from 64 concurrent tasks; each image has to be downloaded only once.
  private static func sharedLoads() async throws {
    let image = try StandardCodecs.encoder(for: .png).encode(blankBitmap(), options: EncodingOptions())
    let transport = ScriptedTransport { _ in .response(body: image) }
    let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, ImageCache(disk: nil)) }
    let requests = (0..<100).map { ImageRequest(source: .string("https://example.com/\($0).png")) }
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for task in 0..<64 {
        group.addTask {
          for number in stride(from: task, to: 10_000, by: 64) {
            _ = try await pipeline.image(for: requests[number * 37 % 100])
          }
        }
      }
      try await group.waitForAll()
    }
    let time = start.duration(to: .now) / .milliseconds(1)
    let count = Double(transport.requests.count)
    Metric(name: "pipeline_10000_requests_100_keys", value: time, unit: "ms").report()
    Metric(name: "pipeline_10000_requests_transfers", value: count, unit: "count", goal: .atMost(100)).report()
  }

  private static func blankBitmap() throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 10, height: 10), isOpaque: true) { _ in }
  }

  private static func blankImage() throws -> DecodedImage {
    let bitmap = try blankBitmap()
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .jpeg, storedSize: bitmap.size))
  }
}

private func nanoseconds() -> Double {
  var time = timespec()
  let measuresCPUTime = ProcessInfo.processInfo.environment["CLOCK"] == "cpu"
  clock_gettime(measuresCPUTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Reads images on an executor of its own, which counts the resumptions after every suspension.
private actor Reader {
  private nonisolated let executor = CountingExecutor()
  private let pipeline: ImagePipeline
  private let requests: [ImageRequest]

  init(pipeline: ImagePipeline, requests: [ImageRequest]) {
    self.pipeline = pipeline
    self.requests = requests
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func nanosecondsPerHit(count: Int) async throws -> Double {
    let start = nanoseconds()
    for step in 0..<count { _ = try await pipeline.image(for: requests[step % requests.count]) }
    return (nanoseconds() - start) / Double(count)
  }

  /// The number of times that the reader was suspended and resumed.
  func suspensions(count: Int) async throws -> Int {
    let before = executor.jobCount
    _ = try await nanosecondsPerHit(count: count)
    return executor.jobCount - before
  }
}

/// A serial executor that counts its jobs.
///
/// Unchecked: the count is accessed only under the lock.
private final class CountingExecutor: SerialExecutor, @unchecked Sendable {
  private let queue = DispatchQueue(label: "halcyon.bench.reader")
  private let lock = NSLock()
  private var count = 0

  var jobCount: Int { lock.withLock { count } }

  func enqueue(_ job: consuming ExecutorJob) {
    lock.withLock { count += 1 }
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
#endif
