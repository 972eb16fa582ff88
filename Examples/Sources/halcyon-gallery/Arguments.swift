import Foundation

/// The command line arguments.
struct Arguments {
  static let usage = """
    usage: halcyon-gallery [FOLDER | URL...] [--open NUMBER] [--screenshot FILE]
      FOLDER             shows the images in a folder and its subfolders
      URL...             shows the images at these URLs
      --open NUMBER      shows one image on its own
      --screenshot FILE  writes the window to a PNG file once all visible images are loaded, and exits
    Without a folder or a URL it shows hundreds of images from a web server of its own.
    """

  var folder: URL?
  var urls: [URL] = []
  var openedPosition: Int?
  var screenshot: String?

  /// Returns `nil` for arguments that are not valid.
  init?(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--open":
        guard let number = rest.next().flatMap({ Int($0) }) else { return nil }
        openedPosition = number
      case "--screenshot":
        guard let file = rest.next() else { return nil }
        screenshot = file
      case _ where argument.hasPrefix("-"): return nil
      default: guard add(argument) else { return nil }
      }
    }
  }

  private mutating func add(_ argument: String) -> Bool {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder) {
      if isFolder.boolValue { folder = URL(filePath: argument) } else { urls.append(URL(filePath: argument)) }
      return true
    }
    guard let url = URL(string: argument), url.scheme != nil else { return false }
    urls.append(url)
    return true
  }
}
