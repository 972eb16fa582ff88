import Foundation
import Halcyon
import HalcyonHTTP
import Hummingbird

/// `ThumbnailServer [--port PORT] [--allow RANGE]` responds to `GET /thumbnail?url=URL&width=WIDTH` with a thumbnail.
///
/// `--allow` also loads images from a private range of addresses, such as `127.0.0.1/32`.
@main
enum Main {
  static func main() async throws {
    let port = option("--port").flatMap { Int($0) } ?? 8080
    let router = Router()
    let range = option("--allow").flatMap { AddressRange($0) }
    router.add(middleware: ThumbnailMiddleware(pipeline: pipeline(allowing: range)))
    let server = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        print("Listening on port \(channel.localAddress?.port ?? port).")
        fflush(nil)
      })
    try await server.runService()
  }

  /// A pipeline with limits for everything that others decide.
  private static func pipeline(allowing range: AddressRange?) -> ImagePipeline {
    var policy = AddressPolicy.publicInternetOnly
    if let range { policy.allowed = [range] } else { policy.ports = [80, 443] }
    return ImagePipeline(addressPolicy: policy) {
      $0.cache = ImageCache(named: "thumbnails")
      $0.limits = ImageLimits(pixelCount: 50_000_000, encodedByteCount: 10 << 20)
      $0.transportLimits.totalTimeout = .seconds(20)
      $0.options.timeout = .seconds(30)
      $0.options.storage = .encoded(keepsOriginal: false)
      $0.redirectLimit = 3
      $0.connectionLimits.waiting = 500
    }
  }

  private static func option(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
  }
}
