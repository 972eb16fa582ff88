import ArgumentParser
import Foundation
import Halcyon
@_spi(Programs) import HalcyonImaging
@_spi(Programs) import HalcyonSupport

/// Where an image is written: a file in the format of its extension, a folder, or standard output.
enum OutputTarget {
  /// A device or a pipe has no format of its own, and gets the image's.
  case file(path: String, ImageFormat?)
  case folder(path: String)
  case standardOutput

  /// The formats that can be written, with the extensions of their files.
  private static var writable: [(format: ImageFormat, names: [String])] {
    ImageFormat.builtIn.filter(StandardCodecs.writable.contains).map { format in
      (format, format == .jpeg ? ["jpg", "jpeg"] : [format.fileExtension])
    }
  }

  /// - Parameter isFile: Whether it has to be a file.
  init(_ path: String, isFile: Bool = false) throws {
    if path.isEmpty {
      throw ValidationError("The output has no name. Name a file\(isFile ? "" : ", a folder, or -").")
    }
    if path == "-" || Self.isStandardOutput(path) {
      self = .standardOutput
    } else if path.endsWithSlash || OutputFile.isFolder(path) {
      self = .folder(path: path)
    } else if let format = Self.format(ofPath: path) {
      self = .file(path: path, format)
    } else if OutputFile.isStream(path) {
      self = .file(path: path, nil)
    } else {
      throw Self.unknownFormat(path, isFile: isFile)
    }
    if isFile {
      guard case .file = self else { throw ValidationError("\(path) is not the name of a file.") }
    }
  }

  /// The error for a path that is neither a folder nor the name of a file that can be written.
  static func unknownFormat(_ path: String, isFile: Bool = false) -> ValidationError {
    let name = path.lastComponent.stemAndExtension.fileExtension
    let names = writable.map { "." + $0.names[0] }.joined(separator: ", ")
    if name.isEmpty {
      return ValidationError(
        """
        \(path) has no extension, which would name the format. Name a file, as \(path).jpg (\(names))\
        \(isFile ? "" : ", or a folder, as \(path)/").
        """)
    }
    let others = isFile ? "" : ", a folder, as \(path)/, or -"
    return ValidationError("Cannot write “.\(name)” files: \(path). Name the output \(names)\(others).")
  }

  /// The format that the extension names, if it can be written.
  private static func format(ofPath path: String) -> ImageFormat? {
    let name = path.lastComponent.stemAndExtension.fileExtension.lowercased()
    return writable.first { $0.names.contains(name) }?.format
  }

  /// Whether the path leads to standard output, as `/dev/stdout` does.
  private static func isStandardOutput(_ path: String) -> Bool {
    guard stat(ofPath: path, followsLinks: false)?.isLink == true,
      let output = FileIdentity(ofDescriptor: STDOUT_FILENO)
    else { return false }
    return FileIdentity(ofPath: path) == output
  }

  /// The path and the format for an image; no path for standard output.
  ///
  /// In a folder and on standard output an image keeps its format if that can be written, and becomes PNG if not.
  func destination(of image: DecodedImage, source: String) -> (path: String?, format: ImageFormat) {
    let kept = image.info.format
    switch self {
    case .file(let path, let format): return (path, format ?? kept)
    case .standardOutput: return (nil, kept)
    case .folder(let folder):
      return (folder.appendingPath("\(OutputName.stem(of: source)).\(kept.fileExtension)"), kept)
    }
  }
}

/// The name of an image in a folder, made of a URL or a path that anyone may have chosen.
enum OutputName {
  /// Less than file systems allow, with an extension and a number.
  private static let byteLimit = 200

  /// The last part of the decoded path, without its extension, control characters and dots at the beginning; `image` if
  /// nothing is left.
  static func stem(of source: String) -> String {
    let name = String(fileName: path(of: source)).lastComponent.unicodeScalars.filter { $0.isSafeInName && $0 != "/" }
    var stem = String(String.UnicodeScalarView(name.drop { $0 == "." })).stemAndExtension.stem
    while stem.fileNameBytes.count > byteLimit { stem.unicodeScalars.removeLast() }
    return stem.isEmpty ? "image" : stem
  }

  /// The bytes of the path of a source, decoded; empty if it has none.
  private static func path(of source: String) -> [UInt8] {
    if source == StandardInput.argument { return [] }
    guard let rest = SourceArgument.afterScheme(of: source) else { return source.fileNameBytes }
    guard rest.starts(with: "//".utf8) else { return [] }
    let path = rest.dropFirst(2).drop { $0 != UInt8(ascii: "/") }
    return Array(path.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })[...].percentDecoded
  }
}

extension Unicode.Scalar {
  /// Also the bytes of encodings such as Latin-1, but not the bytes of its control characters.
  fileprivate var isSafeInName: Bool { isPrintable || isEscapedByte && value & 0xFF >= 0xA0 }
}
