import ArgumentParser
import Foundation
import Halcyon
import HalcyonCache

/// `halcyon-http-proxy`: Halcyon's HTTP cache in front of one server.
@main
struct ProxyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "halcyon-http-proxy", abstract: "Puts Halcyon's HTTP cache in front of a server.",
    discussion: """
      Serves GET and HEAD from the cache according to RFC 9111, and forwards all other requests unchanged. Listens on \
      127.0.0.1 only, and prints its URL when ready. The Cache-Status field of each response reports how the cache \
      handled it. Exits on SIGINT and SIGTERM.
      """)

  @Option(help: "The origin server: scheme, host and port, for example http://127.0.0.1:8000.")
  var origin: OriginURL

  @Option(help: "The port to listen on; 0 for any free port.")
  var port: UInt16

  @Flag(help: "Act as a shared cache instead of a private one: applies private, s-maxage and Authorization.")
  var shared = false

  @Option(
    name: .customLong("cache-dir"),
    help: "The folder of the cache. Default: a temporary folder, removed on exit.")
  var cacheDirectory: String?

  func run() async throws {
    let folder = try CacheFolder(path: cacheDirectory)
    defer { folder.removeIfTemporary() }
    let origin = Origin(server: origin)
    let cache = HTTPCache(store: DiskCache(directory: folder.url), rules: HTTPCacheRules(isShared: shared))
    let proxy = CachingProxy(origin: origin, cache: cache)
    do {
      try await ProxyServer(proxy: proxy, port: Int(port)).run()
    } catch {
      await proxy.close()
      throw ListeningError(port: port, cause: error)
    }
    await proxy.close()
  }
}

/// The proxy could not listen on its port.
private struct ListeningError: Error, CustomStringConvertible {
  let port: UInt16
  let cause: any Error

  var description: String {
    "Cannot listen on 127.0.0.1:\(port): \(cause). Choose another port, or 0 for a free one."
  }
}

/// A URL of scheme, host and port.
struct OriginURL: ExpressibleByArgument {
  let url: URL

  init?(argument: String) {
    guard let parts = URLComponents(string: argument), ["http", "https"].contains(parts.scheme?.lowercased()),
      parts.host?.isEmpty == false, parts.user == nil, ["", "/"].contains(parts.path), parts.query == nil,
      parts.fragment == nil, let url = URL(string: argument.hasSuffix("/") ? String(argument.dropLast()) : argument)
    else { return nil }
    self.url = url
  }

  /// The URL of a request target (path and query); `nil` when it is not valid.
  func url(path: String) -> URL? {
    path.hasPrefix("/") ? URL(string: url.absoluteString + path) : nil
  }
}

/// The folder of the cache, temporary or given.
private struct CacheFolder {
  let url: URL
  private let isTemporary: Bool

  init(path: String?) throws {
    isTemporary = path == nil
    url =
      path.map { URL(filePath: $0, directoryHint: .isDirectory) }
      ?? URL.temporaryDirectory.appending(path: "halcyon-http-proxy-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  func removeIfTemporary() {
    // On failure the system's clean-up of temporary files removes it.
    if isTemporary { try? FileManager.default.removeItem(at: url) }
  }
}
