@main
enum Main {
  static func main() async throws {
    try await MemoryHitBenchmark.run()
    try DownsampleBenchmark.run()
  }
}
