package import Foundation

extension URL {
  /// The size and the date of a file, which differ when it has been written again; `nil` if it cannot be found. One system
  /// call.
  package var fileVersion: String? {
    let name = decodedPath.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    guard stat(name, &status) == 0 else { return nil }
    #if canImport(Darwin)
    let date = status.st_mtimespec
    #else
    let date = status.st_mtim
    #endif
    return "\(status.st_size) \(date.tv_sec).\(date.tv_nsec)"
  }
}
