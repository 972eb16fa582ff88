import Foundation
import Halcyon
import HalcyonCache
import HalcyonHTTP
import HalcyonPipeline

/// Variables of the environment that platforms and systems set for all programs.
enum PlatformEnvironment {
  /// The address that the image of the service has by itself.
  private static let ownBind = ":8080"

  /// Listens at the port that a platform has chosen: Cloud Run, Heroku, Railway and others route requests to it. A
  /// deployment's own `IMGPROXY_BIND` and the settings of the service override it.
  static func apply(_ environment: [String: String], to settings: inout Settings) {
    guard let port = environment["PORT"].flatMap({ Int($0) }), (1...65_535).contains(port),
      [nil, "", ownBind].contains(environment[ImgproxyVariables.prefix + "BIND"])
    else { return }
    (settings.configuration.host, settings.configuration.port) = ("::", port)
  }

  /// The most bytes of a cache in memory.
  static var memoryCacheLimit: Int { MemoryBudget.defaultByteLimit / 4 }

  /// Limits a cache whose folder is in memory, which the system cannot reclaim, to an eighth of the memory of the process,
  /// unless a setting says how much.
  ///
  /// - Parameter mounts: The mounted file systems, as Linux lists them.
  static func boundCache(
    _ configuration: inout ServiceConfiguration, _ environment: [String: String],
    mounts: String? = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
  ) {
    let folder = (configuration.cacheDirectory ?? DiskCache.defaultDirectory).resolvingSymlinksInPath().path
    let limit = memoryCacheLimit
    guard configuration.cacheByteCount > limit, isInMemory(folder, environment, mounts: mounts ?? "") else { return }
    let isDefault = configuration.cacheByteCount == ServiceConfiguration().cacheByteCount
    if isDefault { configuration.cacheByteCount = limit }
    configuration.notices.append(
      """
      The folder of the cache, \(folder), is in memory: cache-size is \(configuration.cacheByteCount) bytes. Mount a volume \
      there for more\(isDefault ? "" : ", or lower it"), or set cache-size to 0
      """)
  }

  /// Whether the file system of a folder, or of the first of its parents that exists, is in memory.
  static func isInMemory(_ folder: String, _ environment: [String: String], mounts: String) -> Bool {
    var (longest, type) = ("", "")
    for line in mounts.split(separator: "\n") {
      // Identifiers, device, root, place, options, …, a dash, and the type.
      let fields = line.split(separator: " ")
      guard fields.count > 5, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
      let place = String(fields[4]).replacing("\\040", with: " ")
      let isParent = place == "/" || folder == place || folder.hasPrefix(place + "/")
      // Of several at one place the last one is seen.
      if isParent, place.count >= longest.count { (longest, type) = (place, String(fields[dash + 1])) }
    }
    // The containers of Cloud Run have nothing but memory, except for volumes.
    return ["tmpfs", "ramfs", "rootfs"].contains(type) || environment["K_SERVICE"] != nil && longest.count <= 1
  }

  /// What the log says of the environment.
  static func notices(_ environment: [String: String], _ configuration: ServiceConfiguration) -> [String] {
    // Some programs read the names in small letters only, others both.
    let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap { [$0, $0.lowercased()] }
      .filter { environment[$0]?.isEmpty == false }
    guard !proxies.isEmpty, configuration.addressPolicy != .any else { return [] }
    return [
      """
      \(proxies.joined(separator: " and ")) has no effect on sources: the addresses that a proxy connects to cannot be checked. \
      Use any-address for sources through the proxy, if it refuses private addresses itself
      """
    ]
  }
}
