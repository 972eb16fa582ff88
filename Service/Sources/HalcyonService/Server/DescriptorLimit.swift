#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How the file descriptors of the process are shared out.
enum DescriptorLimit {
  /// The most connections of clients: a part of the descriptors is left for sources, caches and files.
  static var connections: Int {
    var limit = rlimit()
    #if os(Linux)
    let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    #else
    let isKnown = getrlimit(RLIMIT_NOFILE, &limit) == 0
    #endif
    return isKnown ? connections(ofDescriptors: Int(clamping: limit.rlim_cur)) : connections(ofDescriptors: 1024)
  }

  /// Three of four, and at least 200 fewer.
  static func connections(ofDescriptors count: Int) -> Int { max(8, min(count / 4 * 3, count - 200)) }
}
