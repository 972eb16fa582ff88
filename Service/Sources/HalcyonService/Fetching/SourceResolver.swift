import Foundation
import Halcyon

/// Decides what is fetched for the source of a path.
struct SourceResolver: Sendable {
  private let allowed: [SourcePattern]
  private let localTransport: LocalTransport?

  init(_ configuration: ServiceConfiguration) {
    allowed = configuration.allowedSources
    localTransport = configuration.localRoot.map { LocalTransport(folder: LocalFolder($0)) }
  }

  /// A request for the source in its original size.
  func request(for source: String) throws(SourceError) -> ImageRequest {
    if source.lowercased().hasPrefix("local:") {
      guard let localTransport else { throw .noLocalFolder }
      var request = ImageRequest(url: try localTransport.url(of: try LocalFolder.segments(of: source)))
      request.options.transport = localTransport
      return request
    }
    // Spaces of a decoded URL are encoded again.
    guard let url = SourceURL(source.replacingOccurrences(of: " ", with: "%20")) else { throw .malformed }
    // A name that never resolves (RFC 6761); it stands for local files in cache keys.
    guard allows(url), !url.host.hasSuffix(".invalid") else { throw .notAllowed }
    return ImageRequest(url: url.url)
  }

  /// Whether a source, or the target of a redirect, may be fetched.
  func allows(_ url: SourceURL) -> Bool {
    allowed.isEmpty || allowed.contains { $0.matches(url) }
  }
}
