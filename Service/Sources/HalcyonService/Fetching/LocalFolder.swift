import Foundation
@_spi(Programs) import HalcyonSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files below a folder, opened so that no path leads out of it.
///
/// Each segment is opened in its parent. Symbolic links are read and followed segment by segment in the same way, as far as
/// they stay below the folder, so that neither `..` nor a link, also one that is made meanwhile, leads elsewhere.
struct LocalFolder: Sendable {
  let root: String

  init(_ root: URL) { self.root = root.path }

  /// The segments of a `local:///` URL, percent-decoded once, without empty ones.
  static func segments(of text: String) throws(SourceError) -> [[UInt8]] {
    guard let path = text.bytes(afterPrefix: "local:///")?.sourceBytes else { throw .malformed }
    let segments = path.names
    guard segments.allSatisfy(isName) else { throw .noSuchFile }
    return segments
  }

  /// Whether bytes are the name of one file or folder, not a path.
  private static func isName(_ name: [UInt8]) -> Bool {
    (1...255).contains(name.count) && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
      && !name.contains(UInt8(ascii: "/")) && !name.contains(0)
  }

  /// Opens a regular file.
  func open(_ segments: [[UInt8]]) throws(SourceError) -> LocalFile {
    guard segments.allSatisfy(Self.isName) else { throw .noSuchFile }
    var walk = try FolderWalk(root)
    return try walk.open(segments)
  }

  /// The path of a file, which may lead out of the folder: only ``open(_:)`` is safe.
  func path(of segments: [[UInt8]]) -> [CChar] { segments.reduce(Array(root.utf8)) { $0 + "/".utf8 + $1 }.path }
}

/// The folders from a root down to the one that was opened last.
private struct FolderWalk: ~Copyable {
  /// As many as Linux follows for a path.
  private static let linkLimit = 40

  private let root: [[UInt8]]
  private var folders: [Int32]
  private var linkCount = 0

  init(_ root: String) throws(SourceError) {
    self.root = Self.segments(of: Array(root.utf8))
    let descriptor = root.withCString { openPath($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw SourceError(opening: errno) }
    folders = [descriptor]
  }

  deinit { for folder in folders { close(folder) } }

  /// Opens the regular file at the end of a path below the last folder.
  mutating func open(_ segments: [[UInt8]]) throws(SourceError) -> LocalFile {
    var rest = Array(segments.reversed())
    while let segment = rest.popLast() {
      if segment.elementsEqual("..".utf8) {
        guard folders.count > 1 else { throw .noSuchFile }
        close(folders.removeLast())
        continue
      }
      // A pipe without a writer would block.
      let flags = rest.isEmpty ? O_NONBLOCK : O_DIRECTORY
      let descriptor = openat(folders[folders.count - 1], segment.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags)
      if descriptor >= 0, rest.isEmpty {
        guard let file = LocalFile(descriptor: descriptor) else { throw .noSuchFile }
        return file
      } else if descriptor >= 0 {
        folders.append(descriptor)
      } else {
        // What a link is not followed for.
        let code = errno
        guard [ELOOP, ENOTDIR].contains(code), let target = link(segment) else { throw SourceError(opening: code) }
        rest += try followed(target).reversed()
      }
    }
    throw .noSuchFile
  }

  /// The segments of a link's target; those of an absolute one are below the root again.
  private mutating func followed(_ target: [UInt8]) throws(SourceError) -> [[UInt8]] {
    linkCount += 1
    guard linkCount <= Self.linkLimit else { throw .noSuchFile }
    let segments = Self.segments(of: target)
    guard target.first == UInt8(ascii: "/") else { return segments }
    guard segments.starts(with: root) else { throw .noSuchFile }
    while folders.count > 1 { close(folders.removeLast()) }
    return Array(segments.dropFirst(root.count))
  }

  /// The target of a link in the last folder; `nil` for anything else.
  private func link(_ name: [UInt8]) -> [UInt8]? {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = readlinkat(folders[folders.count - 1], name.path, &bytes, bytes.count)
    guard (1..<bytes.count).contains(count) else { return nil }
    return bytes.prefix(count).map { UInt8(bitPattern: $0) }
  }

  private static func segments(of path: [UInt8]) -> [[UInt8]] { path.names.filter { !$0.elementsEqual(".".utf8) } }
}

extension [UInt8] {
  /// What is between slashes, without empty names.
  var names: [[UInt8]] { split(separator: UInt8(ascii: "/")).map { Array($0) } }

  /// The bytes as a path in C.
  fileprivate var path: [CChar] { map { CChar(bitPattern: $0) } + [0] }
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
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    modificationDate = Date(timeIntervalSince1970: Double(time.tv_sec))
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

/// Changes whenever a file is replaced or written. The time is that of the last change, which the system sets: that of the
/// contents may be set to an earlier one, as copies with `cp -p` do.
struct FileVersion: Equatable, Sendable, CustomStringConvertible {
  private let device: UInt64
  private let inode: UInt64
  private let byteCount: Int64
  private let seconds: Int
  private let nanoseconds: Int

  init(_ status: stat) {
    (device, inode, byteCount) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
    #if canImport(Darwin)
    let time = status.st_ctimespec
    #else
    let time = status.st_ctim
    #endif
    (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
  }

  /// The version of the file at a path; `nil` if there is none.
  init?(path: [CChar]) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  var description: String { "\(device)-\(inode)-\(byteCount)-\(seconds)-\(nanoseconds)" }
}

/// `open`, which is variadic in C and named like a method here.
private func openPath(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open(path, flags) }
