public import Foundation

/// The photographs used by the tests and the demo; their README states origin and licence.
public enum Photos {
  /// The file names, sorted.
  public static let names = [
    "astronaut.jpg", "chelsea.png", "clock_motion.png", "coffee.jpg", "grass.jpg", "hubble_deep_field.jpg",
    "retina.jpg", "rocket.jpg",
  ]

  /// The contents of a file.
  public static func data(_ name: String) throws -> Data {
    try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Photos/\(name)"))
  }
}
