#if SVG && !IMAGEIO
import CHalcyonSystemShim
import Foundation

/// The files that a helper process may read while it draws: those of the system's libraries, and the fonts.
enum SVGHelperFiles {
  private static let system = [
    "/usr", "/lib", "/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/etc/localtime", "/dev/null",
    "/dev/urandom", "/proc/self", "/proc/stat", "/sys/devices/system/cpu",
  ]

  /// Allows this thread, and those that it starts, no other files from now on.
  ///
  /// - Returns: Whether the kernel has Landlock, and the fonts of a drawing with text are known.
  @discardableResult
  static func confine(for document: Data) -> Bool {
    guard let fonts = mayHaveText(document) ? fontFolders() : [] else { return false }
    var paths = (system + fonts).map { UnsafePointer<CChar>(strdup($0)) }
    defer { for path in paths { free(UnsafeMutablePointer(mutating: path)) } }
    return halcyon_allow_reading_only(&paths, paths.count) == 0
  }

  /// Whether a font may be needed: `false` only for a plain document without text, without images, which may contain
  /// text, and without entities.
  private static func mayHaveText(_ document: Data) -> Bool {
    // Compressed, or in an encoding of several bytes.
    if document.starts(with: [0x1F, 0x8B]) || document.contains(0) { return true }
    return ["text", "image", "ENTITY"].contains { document.range(of: Data($0.utf8)) != nil }
  }

  /// The folders of fonts and of font caches. Loads fontconfig, which Pango uses, and with it all fonts; `nil` without
  /// it.
  private static func fontFolders() -> [String]? {
    typealias List = @convention(c) (OpaquePointer?) -> OpaquePointer?
    typealias Next = @convention(c) (OpaquePointer?) -> UnsafePointer<UInt8>?
    typealias Done = @convention(c) (OpaquePointer?) -> Void
    let names = ["FcConfigGetFontDirs", "FcConfigGetCacheDirs"]
    guard let next = dlsym(nil, "FcStrListNext"), let done = dlsym(nil, "FcStrListDone") else { return nil }
    let (nextOf, end) = (unsafeBitCast(next, to: Next.self), unsafeBitCast(done, to: Done.self))
    var folders: [String] = []
    for name in names {
      guard let function = dlsym(nil, name), let list = unsafeBitCast(function, to: List.self)(nil) else { return nil }
      while let folder = nextOf(list) { folders.append(String(cString: folder)) }
      end(list)
    }
    return folders
  }
}
#endif
