import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files below a folder, opened so that no path leads out of it.
///
/// Each segment is opened in its parent and no symbolic link is followed, so that neither `..` nor a link, also one that
/// is made meanwhile, leads elsewhere.
struct LocalFolder: Sendable {
  let root: String

  init(_ root: URL) { self.root = root.path }

  /// The segments of a `local:///` URL, percent-decoded once.
  static func segments(of text: String) throws(SourceError) -> [String] {
    guard text.lowercased().hasPrefix("local:///") else { throw .malformed }
    var segments: [String] = []
    for segment in text.dropFirst(9).split(separator: "/", omittingEmptySubsequences: false) {
      guard !segment.isEmpty, ![".", ".."].contains(segment), !segment.contains("\0"), segment.utf8.count <= 255
      else { throw .noSuchFile }
      segments.append(String(segment))
    }
    guard !segments.isEmpty else { throw .noSuchFile }
    return segments
  }

  /// Opens a regular file.
  func open(_ segments: [String]) throws(SourceError) -> LocalFile {
    var folder = openFolder(root)
    defer { if folder >= 0 { close(folder) } }
    for segment in segments.dropLast() {
      guard folder >= 0 else { throw .noSuchFile }
      let next = openat(folder, segment, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      close(folder)
      folder = next
    }
    guard folder >= 0, let name = segments.last else { throw .noSuchFile }
    // A pipe without a writer would block.
    let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .noSuchFile }
    guard let file = LocalFile(descriptor: descriptor) else { throw .noSuchFile }
    return file
  }

  private func openFolder(_ path: String) -> Int32 {
    path.withCString { openPath($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }
}

/// An open regular file.
final class LocalFile: Sendable {
  private let descriptor: Int32
  let byteCount: Int
  let modificationDate: Date
  /// Changes whenever the file is replaced or written.
  let version: String

  /// Takes ownership of the descriptor; `nil` if it is not that of a regular file.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    byteCount = Int(status.st_size)
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    modificationDate = Date(timeIntervalSince1970: Double(time.tv_sec))
    version = "\(status.st_ino)-\(status.st_size)-\(time.tv_sec)-\(time.tv_nsec)"
  }

  deinit { close(descriptor) }

  /// Up to `count` bytes from an offset on; empty at the end.
  func read(at offset: Int, count: Int) throws -> Data {
    var data = Data(count: count)
    let received = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
    guard received >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return data.prefix(received)
  }
}

/// `open`, which is variadic in C and named like a method here.
private func openPath(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open(path, flags) }
