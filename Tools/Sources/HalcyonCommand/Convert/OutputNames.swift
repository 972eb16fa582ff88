import ArgumentParser
import Foundation
import Halcyon
import Synchronization

/// What names can contain of a result, besides the name of its source.
struct NameValues {
  var format: ImageFormat
  var size = PixelSize(width: 0, height: 0)
  /// The day on which the photograph was taken, or its file changed: `2024-05-01`.
  var date = ""
}

/// The pattern of output names, below the folder that mirrors the source's.
struct NamePattern: ExpressibleByArgument, Equatable {
  private static let placeholders = [
    "{folder}", "{name}", "{ext}", "{source-ext}", "{width}", "{height}", "{date}",
  ]
  private static let numberDigits = 1...9
  static let standard = NamePattern(text: "{name}.{ext}")
  /// For several sizes.
  static let sized = NamePattern(text: "{name}-{width}.{ext}")

  let text: String

  /// `nil` for an unknown placeholder, or a path that leaves the folder.
  init?(argument: String) {
    var rest = argument
    for placeholder in Self.placeholders + Self.numberDigits.map(Self.number) {
      rest = rest.replacing(placeholder, with: "")
    }
    guard !argument.isEmpty, !argument.isAbsolutePath, !argument.endsWithSlash, !rest.utf8.contains(UInt8(ascii: "{")),
      !rest.utf8.contains(UInt8(ascii: "}")), !argument.pathComponents.contains("..")
    else { return nil }
    text = argument
  }

  private init(text: String) { self.text = text }

  /// As the help shows it.
  var defaultValueDescription: String { text }

  /// Whether the name depends on what is in the file.
  var usesContent: Bool { usesSize || usesDate }

  var usesDate: Bool { uses("{date}") }

  /// Whether the names of results of different sizes differ, if their widths do.
  var usesSize: Bool { uses("{width}") || uses("{height}") }

  /// Whether the name depends on the number of the source.
  var usesNumber: Bool { Self.numberDigits.contains { uses(Self.number($0)) } }

  private var usesFolder: Bool { uses("{folder}") }

  private func uses(_ placeholder: String) -> Bool { text.contains(placeholder) }

  /// The placeholder of a number with at least so many digits: `{n}`, `{nn}`, `{nnn}`.
  private static func number(_ digits: Int) -> String { "{" + String(repeating: "n", count: digits) + "}" }

  /// The path of the result relative to the output folder.
  func path(for file: SourceFile, _ result: NameValues) -> String {
    let (stem, ending) = file.relativePath.lastComponent.stemAndExtension
    let folder = file.relativePath.parentFolder
    var values = [
      "{folder}": usesFolder ? file.path.parentFolder.pathFromCurrentFolder : "", "{name}": stem,
      "{ext}": result.format.fileExtension,
      "{source-ext}": ending, "{width}": "\(result.size.width)", "{height}": "\(result.size.height)",
      "{date}": result.date,
    ]
    for digits in Self.numberDigits {
      let number = "\(file.number)"
      values[Self.number(digits)] = String(repeating: "0", count: max(0, digits - number.count)) + number
    }
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
}

extension String {
  /// A path relative to the current folder if it is below that, otherwise from the root without its slash.
  var pathFromCurrentFolder: String {
    let (path, current) = (standardizedPath.pathComponents, ".".standardizedPath.pathComponents)
    return (path.starts(with: current) ? Array(path.dropFirst(current.count)) : path).joined(separator: "/")
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
