import Foundation
import Halcyon
import TestSupport

/// The main job from end to end, without a display and without the internet: a web server on the loopback interface,
/// real photographs, and a cache in a temporary folder.
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
