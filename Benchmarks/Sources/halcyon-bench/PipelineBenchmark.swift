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
    try await diskHits()
  }

  /// Memory hits through the whole pipeline: latency, suspensions, and the memory growth over a million hits.
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
    let before = residentByteCount
    _ = try await reader.nanosecondsPerHit(count: 1_000_000)
    let growth = Double(residentByteCount - before) / 1024
    Metric(name: "pipeline_resident_growth_1m_hits", value: growth, unit: "KiB", goal: .atMost(1024)).report()
    try await observedHits(requests)
  }

  /// The same hits with an event handler.
  private static func observedHits(_ requests: [ImageRequest]) async throws {
    var configuration = PipelineConfiguration()
    configuration.cache = ImageCache(disk: nil)
    configuration.eventHandler = { _ in }
    let pipeline = ImagePipeline(configuration: configuration)
    for request in requests { try await pipeline.store(blankImage(), for: request) }
    let reader = Reader(pipeline: pipeline, requests: requests)
    var times: [Double] = []
    for _ in 0..<rounds(7) { times.append(try await reader.nanosecondsPerHit(count: 20_000)) }
    Metric(name: "pipeline_memory_hit_observed", value: median(times) / 1000, unit: "us").report()
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

  /// A photograph from the disk cache, downsampled to 400 pixels, compared with decoding alone; measured alternately.
  private static func diskHits() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let cache = ImageCache(memory: MemoryCache(), store: DiskCache(directory: folder))
    let pipeline = ImagePipeline { $0.cache = cache }
    let photo = try photograph()
    let request = ImageRequest(
      source: .string("https://example.com/photo.jpg"), size: .fit(width: 400, height: 400))
    try await pipeline.store(original: photo, for: request)
    let options = DecodingOptions(size: request.size ?? .original)
    var (pipelineTimes, decodeTimes): ([Double], [Double]) = ([], [])
    for round in 0...rounds(30) {
      cache.memory.removeAll()
      var start = nanoseconds()
      let response = try await pipeline.response(for: request)
      let time = (nanoseconds() - start) / 1e6
      precondition(response.origin == .store && response.image.size.width == 400, "not from the disk cache")
      start = nanoseconds()
      _ = try StandardCodecs.decoder(for: .jpeg).decode(photo, options: options)
      guard round > 0 else { continue }
      pipelineTimes.append(time)
      decodeTimes.append((nanoseconds() - start) / 1e6)
    }
    Metric(name: "pipeline_disk_hit_400", value: median(pipelineTimes), unit: "ms").report()
    Metric(name: "decode_alone_400", value: median(decodeTimes), unit: "ms").report()
    let ratio = median(zip(pipelineTimes, decodeTimes).map { $0 / $1 })
    Metric(name: "pipeline_disk_hit_to_decode", value: ratio, unit: "ratio", goal: .atMost(1.1)).report()
  }

  /// A JPEG of 12 megapixels with gradients and noise.
  private static func photograph() throws -> Data {
    let size = PixelSize(width: 4000, height: 3000)
    var noise: UInt32 = 1
    let bitmap = try Bitmap(size: size, isOpaque: true) { pixels in
      for index in 0..<size.width * size.height {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        let (x, y) = (index % size.width, index / size.width)
        let grain = Int(noise >> 28)
        pixels[index * 4] = UInt8(x * 230 / size.width + grain)
        pixels[index * 4 + 1] = UInt8(y * 230 / size.height + grain)
        pixels[index * 4 + 2] = UInt8((x + y) / 40 % 230 + grain)
        pixels[index * 4 + 3] = 255
      }
    }
    return try StandardCodecs.encoder(for: .jpeg).encode(bitmap, options: EncodingOptions(quality: 0.85))
  }

  private static func blankBitmap() throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 10, height: 10), isOpaque: true) { _ in }
  }

  private static func blankImage() throws -> DecodedImage {
    let bitmap = try blankBitmap()
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .jpeg, storedSize: bitmap.size))
  }

  /// The resident memory of the process, in bytes (proc(5), statm).
  private static var residentByteCount: Int {
    let file = FileHandle(forReadingAtPath: "/proc/self/statm")
    let text = (try? file?.readToEnd()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
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
