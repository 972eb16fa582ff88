import BenchMetric

/// Runs the benchmarks named by its arguments: `memory`, `decoding`, `processors`, `disk`, `pipeline`, `loads` or `network`; all
/// of them without arguments.
@main
enum Main {
  static func main() async {
    do { try await run() } catch { endProgram(with: error) }
  }

  private static func run() async throws {
    let subjects = CommandLine.arguments.dropFirst()
    #if os(Linux)
    if subjects == ["origin"] { return try BenchOrigin.run() }
    #endif
    if subjects.isEmpty { try await MemoryHitBenchmark.run() }
    if subjects.isEmpty || subjects.contains("memory") {
      try CacheThreadsBenchmark.run()
      try ReuseBenchmark.run()
    }
    if subjects.isEmpty || subjects.contains("decoding") { try DownsampleBenchmark.run() }
    if subjects.isEmpty || subjects.contains("processors") { try ProcessorsBenchmark.run() }
    if subjects.isEmpty || subjects.contains("disk") { try await DiskBenchmark.run() }
    #if os(Linux)
    if subjects.isEmpty || subjects.contains("pipeline") { try await PipelineBenchmark.run() }
    if subjects.isEmpty || subjects.contains("loads") { try await LoadsBenchmark.run() }
    if subjects.isEmpty || subjects.contains("network") { try await NetworkBenchmark.run() }
    #endif
  }
}
