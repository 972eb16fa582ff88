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
/// Each segment is opened in its parent, and no symbolic link is followed, so that neither `..` nor a link leads
/// elsewhere, even a link that is made meanwhile.
struct LocalFolder: Sendable {
  let root: String

  init(_ root: URL) { self.root = root.path }

  /// The segments of a `local:///` URL, percent-decoded once.
  static func segments(of text: String) throws(SourceError) -> [String] {
    guard let path = text.bytes(afterPrefix: "local:///") else { throw .malformed }
    let segments = path.parts(between: "/")
    guard segments.allSatisfy(isName) else { throw .noSuchFile }
    return segments
  }

  /// Whether a text is the name of one file or folder, not a path.
  private static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text != "." && text != ".." && !text.hasByte("/") && !text.hasByte("\0")
  }

  /// Opens a regular file.
  func open(_ segments: [String]) throws(SourceError) -> LocalFile {
    guard segments.allSatisfy(Self.isName) else { throw .noSuchFile }
    guard let name = segments.last else { throw .noSuchFile }
    var folder = try Self.opened(openFolder(root))
    defer { close(folder) }
    for segment in segments.dropLast() {
      let next = try Self.opened(openat(folder, segment, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
      close(folder)
      folder = next
    }
    // A pipe without a writer would block.
    let descriptor = try Self.opened(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    guard let file = LocalFile(descriptor: descriptor) else { throw .noSuchFile }
    return file
  }

  private static func opened(_ descriptor: Int32) throws(SourceError) -> Int32 {
    guard descriptor >= 0 else { throw SourceError(opening: errno) }
    return descriptor
  }

  /// The path of a file, which may lead out of the folder: only ``open(_:)`` is safe.
  func path(of segments: [String]) -> String { ([root] + segments).joined(separator: "/") }

  private func openFolder(_ path: String) -> Int32 {
    path.withCString { openPath($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }
}

/// An open regular file.
final class LocalFile: Sendable {
  private let descriptor: Int32
  let byteCount: Int
  let modificationDate: Date
  let version: FileVersion

  /// Takes ownership of the descriptor; `nil` if it does not refer to a regular file.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    byteCount = Int(status.st_size)
    modificationDate = Date(timeIntervalSince1970: Double(FileVersion.modificationTime(status).tv_sec))
    version = FileVersion(status)
  }

  deinit { close(descriptor) }

  /// Up to `count` bytes from an offset on; empty at the end.
  func read(at offset: Int, count: Int) throws(SourceError) -> Data {
    var data = Data(count: count)
    let received = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
    guard received >= 0 else { throw .unreadable }
    return data.prefix(received)
  }
}

/// Changes whenever a file is replaced or written.
struct FileVersion: Equatable, Sendable, CustomStringConvertible {
  private let device: UInt64
  private let inode: UInt64
  private let byteCount: Int64
  private let seconds: Int
  private let nanoseconds: Int

  init(_ status: stat) {
    (device, inode, byteCount) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
    let time = Self.modificationTime(status)
    (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
  }

  /// The version of the file at a path; `nil` if there is none.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  var description: String { "\(device)-\(inode)-\(byteCount)-\(seconds)-\(nanoseconds)" }

  fileprivate static func modificationTime(_ status: stat) -> timespec {
    #if canImport(Darwin)
    status.st_mtimespec
    #else
    status.st_mtim
    #endif
  }
}

/// `open`, which is variadic in C and named like a method here.
private func openPath(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open(path, flags) }
