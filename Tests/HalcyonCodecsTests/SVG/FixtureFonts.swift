#if SVG && os(Linux)
import Foundation
import Testing

/// Draws text with the font of the fixtures, whatever fonts the machine has.
///
/// fontconfig reads its configuration once in a process, at the first text.
struct FixtureFonts: SuiteTrait {
  /// Constant: other tests change the folder for temporary files.
  private static let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-fonts-\(getpid())")

  private static let isInstalled: Bool = {
    let fonts = Bundle.module.bundleURL.appending(path: "Fixtures/fonts")
    let configuration = """
      <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
      <fontconfig><dir>\(fonts.path)</dir><cachedir>\(folder.path)</cachedir></fontconfig>
      """
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(configuration.utf8).write(to: folder.appending(path: "fonts.conf"))
    } catch {
      return false
    }
    atexit { try? FileManager.default.removeItem(at: FixtureFonts.folder) }
    return setenv("FONTCONFIG_FILE", folder.appending(path: "fonts.conf").path, 1) == 0
  }()

  func prepare(for test: Test) async throws {
    try #require(Self.isInstalled, "the temporary folder cannot be written")
  }
}

extension Trait where Self == FixtureFonts {
  static var fixtureFonts: Self { Self() }
}
#endif
