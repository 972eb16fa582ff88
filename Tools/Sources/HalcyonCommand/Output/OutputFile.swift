import ArgumentParser
import Foundation
import Halcyon

/// Where `halcyon get` writes images: a file in the format of its extension, a folder, or standard output.
enum OutputTarget {
  case file(path: String, ImageFormat)
  case folder(path: String)
  case standardOutput

  /// The formats that can be written, with the extensions of their files.
  private static var writable: [(format: ImageFormat, names: [String])] {
    let formats = Set(StandardCodecs.encoders.map(\.format))
    return ImageFormat.builtIn.filter(formats.contains).map { format in
      (format, format == .jpeg ? ["jpg", "jpeg"] : [format.fileExtension])
    }
  }

  init(_ path: String) throws {
    var isFolder: ObjCBool = false
    if path == "-" {
      self = .standardOutput
    } else if path.hasSuffix("/")
      || (FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue)
    {
      self = .folder(path: path)
    } else {
      let name = URL(filePath: path).pathExtension.lowercased()
      guard let format = Self.writable.first(where: { $0.names.contains(name) })?.format else {
        let names = Self.writable.map { "." + $0.names[0] }.joined(separator: ", ")
        throw ValidationError("Cannot write “.\(name)” files: \(path). Name the output \(names), a folder, or -.")
      }
      self = .file(path: path, format)
    }
  }

  /// The path and the format for an image; no path for standard output.
  ///
  /// In a folder and on standard output an image keeps its format if that can be written, and becomes PNG if not.
  func destination(of image: DecodedImage, source: String) -> (path: String?, format: ImageFormat) {
    let kept = image.info.format
    switch self {
    case .file(let path, let format): return (path, format)
    case .standardOutput: return (nil, kept)
    case .folder(let folder):
      let url = URL(string: source)
      let stem = url?.deletingPathExtension().lastPathComponent ?? ""
      let name = stem.isEmpty || stem == "/" || url?.scheme?.lowercased() == "data" ? "image" : stem
      return (folder + (folder.hasSuffix("/") ? "" : "/") + "\(name).\(kept.fileExtension)", kept)
    }
  }
}

/// Why an image was not written.
enum OutputError: Error, CustomStringConvertible {
  case unwritable(path: String, code: Int32)

  var description: String {
    switch self {
    case .unwritable(let path, let code):
      "\(path) cannot be written: \(String(cString: strerror(code))). Choose another path, or change its permissions."
    }
  }
}

/// Writes a file so that it is complete or not there.
enum OutputFile {
  /// Writes a file, replacing one of the same name.
  static func write(_ data: Data, to path: String) throws(OutputError) { _ = try write(data, to: path, replaces: true) }

  /// Writes a file; `false` if there is one of the same name, and it is not to be replaced.
  ///
  /// On Linux the bytes are written to a file without a name, which even a killed process leaves behind nowhere; other
  /// systems, and file systems that have no such files, get a hidden one.
  static func write(_ data: Data, to path: String, replaces: Bool) throws(OutputError) -> Bool {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    let temporary = folder + "/.halcyon-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let unnamed = openUnnamed(in: folder)
    let file = unnamed >= 0 ? unnamed : open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw .unwritable(path: path, code: errno) }
    var code = write(data, to: file)
    var isNamed = unnamed < 0
    if code == 0, unnamed >= 0, replaces {
      // Only a name can replace another one.
      code = link(file, to: temporary)
      isNamed = code == 0
    }
    if code == 0, !isNamed { code = link(file, to: path) }
    if close(file) != 0, code == 0 { code = errno }
    if isNamed {
      if code == 0 { code = replaces ? rename(from: temporary, to: path) : link(from: temporary, to: path) }
      if code != 0 || !replaces { unlink(temporary) }
    }
    if code == EEXIST, !replaces { return false }
    guard code == 0 else { throw .unwritable(path: path, code: code) }
    return true
  }

  private static func rename(from old: String, to new: String) -> Int32 {
    #if canImport(Darwin)
    Darwin.rename(old, new) == 0 ? 0 : errno
    #else
    Glibc.rename(old, new) == 0 ? 0 : errno
    #endif
  }

  private static func link(from old: String, to new: String) -> Int32 {
    #if canImport(Darwin)
    Darwin.link(old, new) == 0 ? 0 : errno
    #else
    Glibc.link(old, new) == 0 ? 0 : errno
    #endif
  }

  /// A file without a name in a folder; negative where there are none.
  private static func openUnnamed(in folder: String) -> Int32 {
    #if os(Linux)
    // O_TMPFILE, which Glibc's module does not have.
    open(folder, 0o20_000_000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, 0o666)
    #else
    -1
    #endif
  }

  /// Names a file without a name; returns 0 or the `errno` value.
  private static func link(_ file: Int32, to path: String) -> Int32 {
    linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
  }

  /// Writes all bytes; returns 0 or the `errno` value.
  static func write(_ data: Data, to descriptor: Int32) -> Int32 {
    data.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        guard let start = bytes.baseAddress else { return 0 }
        #if canImport(Darwin)
        let count = Darwin.write(descriptor, start + offset, bytes.count - offset)
        #else
        let count = Glibc.write(descriptor, start + offset, bytes.count - offset)
        #endif
        if count < 0, errno != EINTR { return errno }
        offset += max(0, count)
      }
      return 0
    }
  }
}
