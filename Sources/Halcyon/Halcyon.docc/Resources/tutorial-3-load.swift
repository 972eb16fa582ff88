import HalcyonGTK

@main
enum Main {
  static func main() async throws {
    guard let source = CommandLine.arguments.dropFirst().first else { return print("usage: Photos URL") }
    let request = ImageRequest(source: .string(source), size: .fit(width: 640, height: 480))
    let response = try await ImagePipeline.shared.response(for: request)
    print(response)
    await ImagePipeline.shared.cache.flush()
  }
}
