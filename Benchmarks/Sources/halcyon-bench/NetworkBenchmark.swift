#if os(Linux)
import Foundation
import Glibc
import Halcyon

/// The pipeline at work over connections to this machine, beside one load after another, and beside curl.
enum NetworkBenchmark {
  private static let photoCount = 36
  private static let smallCount = 1000
  /// Connections to one host at once, for the pipeline and for curl.
  private static let connectionCount = 6
  private static let roundCount = 15

  static func run() async throws {
    let origin = try OriginProcess()
    defer { origin.stop() }
    try await distantPhotos(origin)
    try await smallImages(origin)
  }

  /// Photographs of an origin that takes 100 ms to answer: all at once to one after another.
  private static func distantPhotos(_ origin: OriginProcess) async throws {
    let urls = try (0..<photoCount).map { try origin.url("100/large/\($0).jpg") }
    var (alone, together): ([Double], [Double]) = ([], [])
    for _ in 0..<3 {
      let (one, all) = (pipeline(), pipeline())
      alone.append(try await milliseconds { for url in urls { _ = try await one.image(for: url) } })
      together.append(
        try await milliseconds { try await forEach(urls) { _ = try await all.image(for: $0) } })
    }
    Metric(name: "network_36_photos_sequential", value: median(alone), unit: "ms").report()
    Metric(name: "network_36_photos_batch", value: median(together), unit: "ms").report()
    Metric(
      name: "network_36_photos_batch_to_sequential", value: median(together) / median(alone), unit: "ratio",
      goal: .atMost(0.3)
    ).report()
  }

  /// The encoded bytes of many small images, each asked for by a request of its own, beside curl writing to nowhere.
  ///
  /// Both use the same number of connections, new ones in each round. Starting is counted on neither side: ours runs in
  /// this process, transport and pipeline made anew within the time; of curl's time, that of curl with one image goes.
  /// The time of processors is counted as well, ours and the system's for us: it says more where others use the machine.
  private static func smallImages(_ origin: OriginProcess) async throws {
    let urls = try (0..<smallCount).map { try origin.url("0/small/\($0).jpg") }
    var (whole, alone, curls): ([ProcessCost], [ProcessCost], [ProcessCost]) = ([], [], [])
    for _ in 0..<roundCount {
      whole.append(
        try await ProcessCost.measured {
          let pipeline = pipeline()
          try await forEach(urls) { _ = try await pipeline.data(for: ImageRequest(url: $0)) }
        })
      alone.append(try await ProcessCost.measured { try await transfer(urls) })
      let all = try await ProcessCost.measured(ofChildren: true) {
        try curl("\(origin.address)/0/small/[1-\(smallCount)].jpg")
      }
      curls.append(
        all - (try await ProcessCost.measured(ofChildren: true) { try curl("\(origin.address)/0/small/1.jpg") }))
    }
    for (name, costs) in [
      ("network_1000_small", whole), ("transport_1000_small", alone), ("curl_parallel_1000_small", curls),
    ] {
      Metric(name: name, value: median(costs.map(\.wall)), unit: "ms").report()
      Metric(name: name + "_processor", value: median(costs.map(\.processor)), unit: "ms").report()
    }
    Metric(
      name: "network_1000_small_to_curl", value: median(zip(whole, curls).map { $0.wall / $1.wall }), unit: "ratio",
      goal: .atMost(1.3)
    ).report()
    Metric(
      name: "transport_1000_small_to_curl", value: median(zip(alone, curls).map { $0.wall / $1.wall }), unit: "ratio"
    ).report()
  }

  /// The same by the transport alone.
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
    var configuration = PipelineConfiguration.standard(transport: CurlTransport(), cache: ImageCache())
    configuration.connectionLimits.perHost = connectionCount
    return ImagePipeline(configuration: configuration)
  }

  private static func curl(_ address: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "curl", "--silent", "--no-progress-meter", "--fail", "--parallel", "--parallel-max", "\(connectionCount)",
      "--output", "/dev/null", address,
    ]
    try process.run()
    process.waitUntilExit()
    precondition(process.terminationStatus == 0, "curl failed with \(process.terminationStatus)")
  }

  /// A task for each, none of which anybody waits for by itself.
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

/// This program once more, as an origin.
private struct OriginProcess {
  let address: String
  private let process = Process()
  private let input = Pipe()

  init() throws {
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["origin"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    address = "http://127.0.0.1:" + port.filter(\.isNumber)
  }

  func url(_ path: String) throws -> URL {
    guard let url = URL(string: "\(address)/\(path)") else { throw ImageError.invalidURL(path) }
    return url
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// Milliseconds that some work took, and those that processors spent on it, the system's work for it included.
private struct ProcessCost {
  var wall: Double
  var processor: Double

  /// - Parameter ofChildren: Whether the processes count that this one has started and waited for, and not itself.
  static func measured(
    ofChildren: Bool = false, _ work: () async throws -> Void
  ) async rethrows -> ProcessCost {
    let (start, before) = (ContinuousClock.now, processorTime(ofChildren: ofChildren))
    try await work()
    return ProcessCost(
      wall: start.duration(to: .now) / .milliseconds(1),
      processor: processorTime(ofChildren: ofChildren) - before)
  }

  static func - (left: ProcessCost, right: ProcessCost) -> ProcessCost {
    ProcessCost(wall: left.wall - right.wall, processor: left.processor - right.processor)
  }

  private static func processorTime(ofChildren: Bool) -> Double {
    var usage = rusage()
    getrusage(ofChildren ? RUSAGE_CHILDREN.rawValue : RUSAGE_SELF.rawValue, &usage)
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
  }

  private static func milliseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
  }
}
#endif
