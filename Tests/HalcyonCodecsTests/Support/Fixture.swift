import Foundation

/// A file of the folder `Fixtures`.
enum Fixture {
  static let jpegNames = [
    "default", "progressive", "grayscale", "s1x1-444", "s2x1-422", "s1x3", "s-weird", "s-very-weird", "made-440",
    "made-411", "made-410", "made-cmyk",
  ].map { "jpeg/peacock.\($0).jpeg" }

  static let photo = "jpeg/peacock.png"

  static func data(_ path: String) throws -> Data {
    try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Fixtures").appending(path: path))
  }
}
