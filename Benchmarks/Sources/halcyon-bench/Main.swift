/// Measures what its arguments name, `memory`, `decoding` or `disk`; everything without arguments.
@main
enum Main {
  static func main() async throws {
    let subjects = CommandLine.arguments.dropFirst()
    if subjects.isEmpty { try await MemoryHitBenchmark.run() }
    if subjects.isEmpty || subjects.contains("memory") {
      try CacheThreadsBenchmark.run()
      try ReuseBenchmark.run()
    }
    if subjects.isEmpty || subjects.contains("decoding") { try DownsampleBenchmark.run() }
    if subjects.isEmpty || subjects.contains("disk") { try await DiskBenchmark.run() }
  }
}
