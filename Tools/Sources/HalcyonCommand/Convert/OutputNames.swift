import ArgumentParser
import Foundation
import Halcyon
import Synchronization

/// The pattern of output names, below the folder that mirrors the source's.
struct NamePattern: ExpressibleByArgument, Equatable {
  private static let placeholders = ["{folder}", "{name}", "{ext}", "{source-ext}", "{width}", "{height}"]
  static let standard = NamePattern(text: "{name}.{ext}")

  let text: String

  /// `nil` for an unknown placeholder, or a path that leaves the folder.
  init?(argument: String) {
    var rest = argument
    for placeholder in Self.placeholders { rest = rest.replacing(placeholder, with: "") }
    guard !argument.isEmpty, !argument.isAbsolutePath, !argument.endsWithSlash, !rest.utf8.contains(UInt8(ascii: "{")),
      !rest.utf8.contains(UInt8(ascii: "}")), !argument.pathComponents.contains("..")
    else { return nil }
    text = argument
  }

  private init(text: String) { self.text = text }

  /// As the help shows it.
  var defaultValueDescription: String { text }

  /// Whether the name depends on the size of the result.
  var usesSize: Bool { uses("{width}") || uses("{height}") }

  private var usesFolder: Bool { uses("{folder}") }

  private func uses(_ placeholder: String) -> Bool { text.contains(placeholder) }

  /// The path of the result relative to the output folder.
  func path(for file: SourceFile, format: ImageFormat, size: PixelSize) -> String {
    let (stem, ending) = file.relativePath.lastComponent.stemAndExtension
    let folder = file.relativePath.parentFolder
    let values = [
      "{folder}": usesFolder ? Self.folder(of: file.path) : "", "{name}": stem, "{ext}": format.fileExtension,
      "{source-ext}": ending, "{width}": "\(size.width)", "{height}": "\(size.height)",
    ]
    // In one pass: names of files and folders may contain a placeholder's text.
    var (path, rest) = ("", text[...])
    while let start = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
      let end = rest.utf8[start...].firstIndex(of: UInt8(ascii: "}"))
    {
      path += rest[..<start] + (values[String(rest[start...end])] ?? "")
      rest = rest[rest.utf8.index(after: end)...]
    }
    path += rest
    if usesFolder { return path.pathComponents.joined(separator: "/") }
    return folder == "." ? path : folder.appendingPath(path)
  }

  /// The folder of a file: relative to the current one if it is below that, otherwise from the root.
  private static func folder(of path: String) -> String {
    let folder = path.standardizedPath.parentFolder.pathComponents
    let current = ".".standardizedPath.pathComponents
    return (folder.starts(with: current) ? Array(folder.dropFirst(current.count)) : folder).joined(separator: "/")
  }
}

/// The outputs of a run, so that no source replaces what another one of the same run has written.
///
/// Holds sixteen bytes of each path, since a run may have millions.
final class ClaimedOutputs: Sendable {
  enum Claim {
    case granted
    /// The same source was named before.
    case repeated
    case taken
  }

  /// The hashes of the sources by the hashes of their outputs.
  private let sources = Mutex<[Int: Int]>([:])

  func claim(_ path: String, for source: String) -> Claim {
    let (key, source) = (Self.hash(path), Self.hash(source))
    return sources.withLock { sources in
      guard let other = sources[key] else {
        sources[key] = source
        return .granted
      }
      return other == source ? .repeated : .taken
    }
  }

  /// Whether the path was claimed.
  func contains(_ path: String) -> Bool { sources.withLock { $0[Self.hash(path)] != nil } }

  private static func hash(_ path: String) -> Int { Array(path.standardizedPath.utf8).hashValue }
}
