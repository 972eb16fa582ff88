import Foundation
import Halcyon

/// A file to convert.
struct SourceFile: Sendable {
  let path: String
  /// The path below the folder or pattern that was named, which the output mirrors; for a named file its name, and for one
  /// in a list its path below the current folder.
  let relativePath: String
  /// Whether the file itself was named. Other files that are not images are skipped.
  let isNamed: Bool
  /// The number of the image in the order of the sources, from 1; 0 if they are not numbered.
  var number = 0

  /// The image on standard input.
  static let standardInput = SourceFile(path: StandardInput.argument, relativePath: "image", isNamed: true)

  /// The name in messages.
  var title: String { path == StandardInput.argument ? StandardInput.title : path }

  func open(byteLimit: Int, isCancelled: () -> Bool) throws -> InputFile {
    if path != StandardInput.argument { return try InputFile(path) }
    return InputFile(piped: try StandardInput.read(byteLimit: byteLimit, isCancelled: isCancelled))
  }
}

/// The files that sources name: files, folders, and patterns with `*`, `?`, `[…]` and `**`.
///
/// Found one after another as they are asked for, so that memory does not grow with their number, and in no particular
/// order unless they are numbered. Hidden files, and links to folders, are left out of folders.
struct SourceFiles: ~Copyable {
  enum Item {
    case file(SourceFile)
    /// A source that does not exist, or a folder that cannot be read.
    case unreadable(path: String, InputError)
    /// A pattern without a file.
    case unmatched(pattern: String)
    /// A link in a folder to a file that does not exist.
    case danglingLink
    /// A folder in a folder, which only a recursive search lists.
    case skippedFolder
  }

  /// The steps that are left, in reverse order.
  private enum Step {
    case source(String)
    case folder(Folder)
    /// Reports a pattern if no file was found for it.
    case endOfPattern(String, foundBefore: Int)
  }

  /// A folder to list, and the components of the pattern that its names have to match; none for all.
  private struct Folder {
    var path: String
    var relativePath: String
    var pattern: [String] = []
    /// Whether the folder was named or is below one that was, so that all of its files are found.
    var isWhole: Bool { pattern.isEmpty }

    /// Whether a file in this folder is to be found.
    func matchesFile(_ name: String) -> Bool {
      guard let component = pattern.first else { return !name.isHiddenName }
      return pattern.count == 1 && matches(name, component)
    }

    func path(_ name: String) -> String { path.appendingPath(name) }
    func relativePath(_ name: String) -> String { relativePath.isEmpty ? name : "\(relativePath)/\(name)" }
  }

  private let isRecursive: Bool
  private let isNumbered: Bool
  private let excluded: FileIdentity?
  private var list: LineReader?
  private var steps: [Step]
  private var listing: Listing?
  private var foundCount = 0
  private var imageCount = 0

  /// The names of a folder that are left.
  private struct Listing {
    let folder: Folder
    let names: FolderNames
    /// In reverse order; `nil` if the names are read one after another.
    var sorted: [FolderNames.Entry]?
    /// The folders in it that are to be searched.
    var inner: [Folder] = []

    mutating func next() -> FolderNames.Entry? { sorted == nil ? names.next() : sorted?.popLast() }
  }

  /// - Parameters:
  ///   - sources: The paths and patterns.
  ///   - list: More paths, of which none is a pattern.
  ///   - isRecursive: Whether the folders in a folder are searched.
  ///   - isNumbered: Whether images get numbers; files are then found in the order of their names.
  ///   - excluded: The folder for the output, which is not searched unless it is a source.
  init(
    _ sources: [String], list: LineReader? = nil, isRecursive: Bool, isNumbered: Bool = false,
    excluding excluded: String?
  ) {
    self.isRecursive = isRecursive
    self.isNumbered = isNumbered
    self.list = list
    self.excluded = excluded.flatMap { FileIdentity(ofPath: $0) }
    steps = sources.reversed().map { .source($0) }
  }

  /// The next file or failure; `nil` after the last.
  mutating func next() -> Item? {
    while true {
      if let item = nextInListing() { return item }
      if let step = steps.popLast() {
        if let item = item(step) { return item }
      } else {
        do {
          guard let path = try list?.next() else { return nil }
          if let item = item(source: path, isListed: true) { return item }
        } catch {
          list = nil
          return .unreadable(path: "", error)
        }
      }
    }
  }

  /// The next file of the folder that is listed; `nil` after its last.
  private mutating func nextInListing() -> Item? {
    while listing != nil {
      guard let entry = listing?.next(), let folder = listing?.folder else {
        steps += listing?.inner.reversed().map { .folder($0) } ?? []
        listing = nil
        return nil
      }
      if let item = item(entry, in: folder) { return item }
    }
    return nil
  }

  private mutating func item(_ step: Step) -> Item? {
    switch step {
    case .source(let source):
      return item(source: source)
    case .folder(let folder):
      do {
        let names = try FolderNames(folder.path)
        listing = Listing(folder: folder, names: names, sorted: isNumbered ? names.sorted().reversed() : nil)
      } catch {
        // The folder of a pattern does not exist, so that nothing matches.
        if error.code == ENOENT, !folder.isWhole { return nil }
        return .unreadable(path: folder.path, .unreadable(folder.path, code: error.code))
      }
      // `**` also matches no folder at all.
      if folder.pattern.first == "**" {
        var inner = folder
        inner.pattern.removeFirst()
        steps.append(.folder(inner))
      }
    case .endOfPattern(let pattern, let foundBefore):
      if foundCount == foundBefore { return .unmatched(pattern: pattern) }
    }
    return nil
  }

  private mutating func item(source: String, isListed: Bool = false) -> Item? {
    if source == StandardInput.argument { return found(.standardInput) }
    if source.isEmpty { return .unreadable(path: source, .noName) }
    if let status = stat(ofPath: source) {
      guard status.isFolder else {
        let relativePath = isListed ? source.pathFromCurrentFolder : source.lastComponent
        return found(SourceFile(path: source, relativePath: relativePath, isNamed: true))
      }
      steps.append(.folder(Folder(path: source, relativePath: isListed ? source.pathFromCurrentFolder : "")))
      return nil
    }
    let code = errno
    guard !isListed, let pattern = Pattern(source) else {
      return .unreadable(path: source, .unreadable(source, code: code))
    }
    steps.append(.endOfPattern(source, foundBefore: foundCount))
    steps.append(.folder(Folder(path: pattern.folder, relativePath: "", pattern: pattern.components)))
    return nil
  }

  private mutating func item(_ entry: FolderNames.Entry, in folder: Folder) -> Item? {
    let path = folder.path(entry.name)
    var type = Int(entry.type)
    // Some file systems do not tell the type.
    let isLink = type == DT_LNK || type == DT_UNKNOWN && stat(ofPath: path, followsLinks: false)?.isLink == true
    if isLink || type == DT_UNKNOWN {
      guard let status = stat(ofPath: path) else {
        return isLink && folder.matchesFile(entry.name) ? .danglingLink : nil
      }
      type = status.isFolder ? Int(DT_DIR) : status.isRegularFile ? Int(DT_REG) : Int(DT_UNKNOWN)
    }
    let inner = Folder(path: path, relativePath: folder.relativePath(entry.name))
    if type == DT_DIR {
      if !isLink, addFolders(entry.name, inner, in: folder) == false { return .skippedFolder }
    } else if type == DT_REG, folder.matchesFile(entry.name) {
      return found(SourceFile(path: path, relativePath: inner.relativePath, isNamed: false))
    }
    return nil
  }

  /// Adds a folder in a folder, if it is to be searched. Returns `false` if it would be in a recursive search.
  private mutating func addFolders(_ name: String, _ inner: Folder, in folder: Folder) -> Bool {
    var inner = inner
    var isSearched = true
    if folder.isWhole {
      guard !name.isHiddenName else { return true }
      isSearched = isRecursive
    } else if folder.pattern[0] == "**" {
      guard !name.isHiddenName else { return true }
      inner.pattern = folder.pattern
    } else {
      guard matches(name, folder.pattern[0]) else { return true }
      isSearched = folder.pattern.count > 1 || isRecursive
      inner.pattern = Array(folder.pattern.dropFirst())
    }
    if let excluded, FileIdentity(ofPath: inner.path) == excluded { return true }
    if isSearched { listing?.inner.append(inner) }
    return isSearched
  }

  private mutating func found(_ file: SourceFile) -> Item {
    foundCount += 1
    guard isNumbered, file.isNamed || Self.isImage(file.path) else { return .file(file) }
    imageCount += 1
    var file = file
    file.number = imageCount
    return .file(file)
  }

  private static func isImage(_ path: String) -> Bool {
    guard let prefix = try? InputFile(path).prefix() else { return false }
    return ImageFormat(sniffing: prefix) != nil
  }
}

/// A pattern, split into the folder before its first special character and the components after it.
struct Pattern {
  let folder: String
  let components: [String]

  /// `nil` without a special character.
  init?(_ text: String) {
    let parts = text.pathComponents
    guard let start = parts.firstIndex(where: { $0.utf8.contains { "*?[".utf8.contains($0) } }) else { return nil }
    let prefix = parts[..<start].joined(separator: "/")
    folder = text.isAbsolutePath ? "/" + prefix : prefix.isEmpty ? "." : prefix
    var components: [String] = []
    for part in parts[start...] where !(part == "**" && components.last == "**") { components.append(part) }
    // A `**` at the end matches all files at any depth.
    if components.last == "**" { components.append("*") }
    self.components = components
  }
}

private func matches(_ name: String, _ pattern: String) -> Bool { fnmatch(pattern.cPath, name.cPath, FNM_PERIOD) == 0 }
