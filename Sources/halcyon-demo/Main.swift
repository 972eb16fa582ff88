import Foundation
import Halcyon
import HalcyonTestSupport

/// Loads images end to end without a display or an internet connection: real photographs, a web server on the loopback
/// interface, and a cache in a temporary folder.
@main
enum Main {
  static func main() async throws {
    try await TemporaryDirectory.run { folder in
      try await ImageServer.run { server in
        try await Demo(server: server, cacheDirectory: folder).run()
      }
    }
  }
}
