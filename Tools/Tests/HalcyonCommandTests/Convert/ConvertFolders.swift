import Foundation
import HalcyonTestSupport

/// An empty folder for sources and one for the output.
func withFolders(_ body: (_ sources: URL, _ output: URL) async throws -> Void) async throws {
  try await TemporaryDirectory.run { folder in
    let folders = ["sources", "output"].map { folder.appending(path: $0, directoryHint: .isDirectory) }
    for folder in folders { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    try await body(folders[0], folders[1])
  }
}

/// Writes a bundled photo under some paths.
func writePhoto(_ photo: String, to folder: URL, as paths: [String]) throws {
  let data = try Photos.data(photo)
  for path in paths {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }
}

/// The paths of all files below a folder, sorted.
func names(in folder: URL) throws -> [String] {
  try FileManager.default.subpathsOfDirectory(atPath: folder.path()).sorted().filter { path in
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: folder.path() + "/" + path, isDirectory: &isFolder)
    return exists && !isFolder.boolValue
  }
}
