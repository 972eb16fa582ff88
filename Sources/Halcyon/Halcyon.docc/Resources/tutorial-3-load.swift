import Foundation
import HalcyonGTK

@main
enum Main {
  static func main() async {
    guard let name = CommandLine.arguments.dropFirst().first else { return print("usage: Photos URL | FILE") }
    let request = ImageRequest(source: source(name), size: .fit(width: 640, height: 480))
    do {
      print(try await ImagePipeline.shared.response(for: request))
    } catch {
      print(error)
    }
    await ImagePipeline.shared.cache.flush()
  }
}

/// The image at a URL or a path.
func source(_ name: String) -> ImageSource {
  name.contains("://") ? .string(name) : .url(URL(filePath: name))
}
