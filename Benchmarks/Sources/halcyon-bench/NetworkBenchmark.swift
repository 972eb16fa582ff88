#if os(Linux)
import BenchMetric
import Foundation
import Glibc
import Halcyon
import HalcyonTransport

/// Loads through the pipeline over loopback connections, compared with sequential loads and with curl.
enum NetworkBenchmark {
  private static let photoCount = 36
  private static let smallCount = 1000
  /// The concurrent connections to the host, for the pipeline and for curl.
  private static let connectionCount = 6
  private static let roundCount = rounds(15)

  static func run() async throws {
    let origin = try OriginProcess()
    defer { origin.stop() }
    try await distantPhotos(origin)
    try await smallImages(origin)
  }

  /// Photographs from an origin with a latency of 100 ms: concurrent loads compared with sequential ones.
  private static func distantPhotos(_ origin: OriginProcess) async throws {
    let urls = try (0..<photoCount).map { try origin.url("100/large/\($0).jpg") }
    var (sequential, concurrent): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds(3) {
      let (first, second) = (pipeline(), pipeline())
      sequential.append(try await milliseconds { for url in urls { _ = try await first.image(for: url) } })
      concurrent.append(
        try await milliseconds { try await forEach(urls) { _ = try await second.image(for: $0) } })
    }
    Metric(name: "network_36_photos_sequential", value: median(sequential), unit: "ms").report()
    Metric(name: "network_36_photos_batch", value: median(concurrent), unit: "ms").report()
    Metric(
      name: "network_36_photos_batch_to_sequential", value: median(concurrent) / median(sequential), unit: "ratio",
      goal: .atMost(0.3)
    ).report()
  }

  /// The encoded bytes of many small images, one request each, compared with curl writing to /dev/null.
  ///
  /// Both use the same number of connections, opened anew in each round. Process start-up is excluded on both sides:
  /// the pipeline runs in this process, and creating it and its transport is included; from curl's time, the time of a
  /// run with one image is subtracted. CPU time (user and system) is measured as well: it is more reliable on a busy
  /// machine.
  private static func smallImages(_ origin: OriginProcess) async throws {
    let urls = try (0..<smallCount).map { try origin.url("0/small/\($0).jpg") }
    var (pipelines, transports, curls): ([ProcessCost], [ProcessCost], [ProcessCost]) = ([], [], [])
    for _ in 0..<roundCount {
      pipelines.append(
        try await ProcessCost.measured {
          let pipeline = pipeline()
          try await forEach(urls) { _ = try await pipeline.data(for: ImageRequest(url: $0)) }
        })
      transports.append(try await ProcessCost.measured { try await transfer(urls) })
      let all = try await ProcessCost.measured(ofChildren: true) {
        try await curl("\(origin.baseURL)/0/small/[1-\(smallCount)].jpg")
      }
      curls.append(
        all - (try await ProcessCost.measured(ofChildren: true) { try await curl("\(origin.baseURL)/0/small/1.jpg") }))
    }
    for (name, costs) in [
      ("network_1000_small", pipelines), ("transport_1000_small", transports), ("curl_parallel_1000_small", curls),
    ] {
      Metric(name: name, value: median(costs.map(\.wall)), unit: "ms").report()
      Metric(name: name + "_processor", value: median(costs.map(\.cpu)), unit: "ms").report()
    }
    Metric(
      name: "network_1000_small_to_curl", value: median(zip(pipelines, curls).map { $0.wall / $1.wall }),
      unit: "ratio", goal: .atMost(1.3)
    ).report()
    Metric(
      name: "transport_1000_small_to_curl", value: median(zip(transports, curls).map { $0.wall / $1.wall }),
      unit: "ratio"
    ).report()
  }

  /// Fetches all URLs with the transport alone.
  private static func transfer(_ urls: [URL]) async throws {
    let transport = CurlTransport()
    try await withThrowingTaskGroup { group in
      for start in 0..<connectionCount {
        group.addTask {
          for index in stride(from: start, to: urls.count, by: connectionCount) {
            let response = try await transport.response(to: TransportRequest(url: urls[index]))
            for try await _ in response.body {}
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func pipeline() -> ImagePipeline {
    var configuration = PipelineConfiguration()
    configuration.transport = CurlTransport()
    configuration.cache = ImageCache(disk: nil)
    configuration.connectionLimits.perHost = connectionCount
    return ImagePipeline(configuration: configuration)
  }

  private static func curl(_ url: String) async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "curl", "--silent", "--no-progress-meter", "--fail", "--parallel", "--parallel-max", "\(connectionCount)",
      "--output", "/dev/null", url,
    ]
    // `waitUntilExit` can return a tenth of a second late, when it waits with a run loop.
    try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    precondition(process.terminationStatus == 0, "curl failed with \(process.terminationStatus)")
  }

  /// Runs `body` for all URLs concurrently, one task each.
  private static func forEach(_ urls: [URL], _ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for url in urls { group.addTask { try await body(url) } }
    }
  }

  private static func milliseconds(_ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return start.duration(to: .now) / .milliseconds(1)
  }
}

/// The wall-clock time and the CPU time (user and system) of some work, in milliseconds.
private struct ProcessCost {
  var wall: Double
  var cpu: Double

  /// Measures `work`.
  ///
  /// - Parameter ofChildren: Whether to count the CPU time of child processes that were waited for, instead of this
  ///   process's.
  static func measured(
    ofChildren: Bool = false, _ work: () async throws -> Void
  ) async rethrows -> ProcessCost {
    let (start, before) = (ContinuousClock.now, cpuTime(ofChildren: ofChildren))
    try await work()
    return ProcessCost(
      wall: start.duration(to: .now) / .milliseconds(1), cpu: cpuTime(ofChildren: ofChildren) - before)
  }

  static func - (left: ProcessCost, right: ProcessCost) -> ProcessCost {
    ProcessCost(wall: left.wall - right.wall, cpu: left.cpu - right.cpu)
  }

  private static func cpuTime(ofChildren: Bool) -> Double {
    var usage = rusage()
    getrusage(ofChildren ? RUSAGE_CHILDREN.rawValue : RUSAGE_SELF.rawValue, &usage)
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
  }

  private static func milliseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
  }
}
#endif
