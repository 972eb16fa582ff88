import Foundation

/// What was asked for on the command line.
struct Arguments {
  static let usage = """
    usage: halcyon-gallery [FOLDER | ADDRESS...] [--open NUMBER] [--screenshot FILE]
      FOLDER             shows the pictures in a folder, and in those inside it
      ADDRESS...         shows the pictures at these addresses
      --open NUMBER      shows one picture by itself
      --screenshot FILE  writes the window to a PNG file when all that is in sight has been loaded, and ends
    Without a folder or an address it shows hundreds of pictures from a web server of its own.
    """

  var folder: URL?
  var addresses: [URL] = []
  var opened: Int?
  var screenshot: String?

  /// `nil` when they make no sense.
  init?(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--open":
        guard let number = rest.next().flatMap({ Int($0) }) else { return nil }
        opened = number
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
      if isFolder.boolValue { folder = URL(filePath: argument) } else { addresses.append(URL(filePath: argument)) }
      return true
    }
    guard let url = URL(string: argument), url.scheme != nil else { return false }
    addresses.append(url)
    return true
  }
}
