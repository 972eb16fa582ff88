import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import HalcyonApple

/// A pipeline over a session of the app, with a pinned certificate: HalcyonApple brings all names.
enum SessionProgram {
  static func pipeline() -> ImagePipeline {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForResource = 60
    let transport = URLSessionTransport(configuration: configuration) { challenge in
      challenge.protectionSpace.host == "example.com" ? (.performDefaultHandling, nil) : (.rejectProtectionSpace, nil)
    }
    return ImagePipeline { $0.transport = transport }
  }
}
