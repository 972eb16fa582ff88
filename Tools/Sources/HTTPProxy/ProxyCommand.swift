import ArgumentParser
import Foundation
import Halcyon

/// `halcyon-http-proxy`: Halcyon's HTTP cache in front of one server.
@main
struct ProxyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "halcyon-http-proxy", abstract: "Puts Halcyon's HTTP cache in front of a server.",
    discussion: """
      Answers GET and HEAD from the cache as RFC 9111 has it, and passes everything else through untouched. Listens on \
      127.0.0.1 only, and prints its address once it does. Each answer tells in Cache-Status what the cache did. \
      Ends on SIGINT and SIGTERM.
      """)

  @Option(help: "The server: scheme, host and port, for example http://127.0.0.1:8000.")
  var origin: OriginAddress

  @Option(help: "The port to listen on; 0 takes a free one.")
  var port: UInt16

  @Flag(help: "Cache for several users instead of one: heeds private, s-maxage and Authorization.")
  var shared = false

  @Option(
    name: .customLong("cache-dir"),
    help: "Keep the cache in this folder. Without it the cache begins empty and is removed at the end.")
  var cacheDirectory: String?

  func run() async throws {
    let folder = try CacheFolder(path: cacheDirectory)
    defer { folder.removeIfTemporary() }
    let origin = Origin(address: origin)
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

/// The proxy cannot serve on its port.
private struct ListeningError: Error, CustomStringConvertible {
  let port: UInt16
  let cause: any Error

  var description: String {
    "Cannot listen on 127.0.0.1:\(port): \(cause). Choose another port, or 0 for a free one."
  }
}

/// Scheme, host and port of a server.
struct OriginAddress: ExpressibleByArgument {
  let url: URL

  init?(argument: String) {
    guard let parts = URLComponents(string: argument), ["http", "https"].contains(parts.scheme?.lowercased()),
      parts.host?.isEmpty == false, parts.user == nil, ["", "/"].contains(parts.path), parts.query == nil,
      parts.fragment == nil, let url = URL(string: argument.hasSuffix("/") ? String(argument.dropLast()) : argument)
    else { return nil }
    self.url = url
  }

  /// The address of a path, with its query, as it stands in a request; `nil` when it is none.
  func url(path: String) -> URL? {
    path.hasPrefix("/") ? URL(string: url.absoluteString + path) : nil
  }
}

/// Where the cache is.
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
    // What is left behind in the system's folder for temporary files is cleared away by the system.
    if isTemporary { try? FileManager.default.removeItem(at: url) }
  }
}
