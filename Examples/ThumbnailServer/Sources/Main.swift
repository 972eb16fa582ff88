import Foundation
import Halcyon
import HalcyonHTTP
import Hummingbird

/// `ThumbnailServer [--port PORT] [--allow RANGE]` answers `GET /thumbnail?url=URL&width=WIDTH` with a WebP image.
///
/// `--allow` also loads images from a private range of addresses, such as `127.0.0.1/32`.
@main
enum Main {
  static func main() async throws {
    let port = option("--port").flatMap { Int($0) } ?? 8080
    let range = option("--allow").flatMap { AddressRange($0) }
    let thumbnails = Thumbnails(pipeline: Thumbnails.pipeline(allowing: range))
    let router = Router()
    router.add(middleware: ThumbnailMiddleware(thumbnails: thumbnails))
    let server = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        print("Listening on port \(channel.localAddress?.port ?? port).")
        fflush(nil)
      })
    try await server.runService()
  }

  private static func option(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
  }
}
