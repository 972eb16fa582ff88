import ArgumentParser
import Foundation
import Halcyon
import Synchronization

/// The pattern of output names, below the folder that mirrors the source's.
struct NamePattern: ExpressibleByArgument {
  private static let placeholders = ["{name}", "{ext}", "{source-ext}", "{width}", "{height}"]
  static let standard = NamePattern(text: "{name}.{ext}")

  let text: String

  /// `nil` for an unknown placeholder, or a path that leaves the folder.
  init?(argument: String) {
    var rest = argument
    for placeholder in Self.placeholders { rest = rest.replacing(placeholder, with: "") }
    guard !argument.isEmpty, !argument.hasPrefix("/"), !argument.hasSuffix("/"), !rest.contains("{"),
      !rest.contains("}"), !argument.split(separator: "/").contains("..")
    else { return nil }
    text = argument
  }

  private init(text: String) { self.text = text }

  /// As the help shows it.
  var defaultValueDescription: String { text }

  /// Whether the name depends on the size of the result.
  var usesSize: Bool { text.contains("{width}") || text.contains("{height}") }

  /// The path of the result relative to the output folder.
  func path(for relativePath: String, format: ImageFormat, size: PixelSize) -> String {
    let source = relativePath.lastComponent
    let folder = relativePath.dropLast(source.count)
    let dot = source.lastIndex(of: ".").flatMap { $0 == source.startIndex ? nil : $0 }
    let stem = dot.map { String(source[..<$0]) } ?? source
    let ending = dot.map { String(source[source.index(after: $0)...]) } ?? ""
    // The name of the file last: it may contain a placeholder's text.
    let name = text.replacing("{ext}", with: format.fileExtension).replacing("{width}", with: "\(size.width)")
      .replacing("{height}", with: "\(size.height)").replacing("{source-ext}", with: ending)
      .replacing("{name}", with: stem)
    return folder + name
  }
}

/// The outputs of a run, so that no source replaces what another one of the same run has written.
///
/// Holds eight bytes of each path, since a run may have millions.
final class ClaimedOutputs: Sendable {
  private let hashes = Mutex<Set<Int>>([])

  /// Whether this is the first claim of the path.
  func claim(_ path: String) -> Bool { hashes.withLock { $0.insert(Self.hash(path)).inserted } }

  /// Whether the path was claimed.
  func contains(_ path: String) -> Bool { hashes.withLock { $0.contains(Self.hash(path)) } }

  func release(_ path: String) { hashes.withLock { _ = $0.remove(Self.hash(path)) } }

  private static func hash(_ path: String) -> Int { URL(filePath: path).standardizedFileURL.path.hashValue }
}
