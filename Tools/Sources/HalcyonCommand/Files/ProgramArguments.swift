import CHalcyonProcess

/// The arguments of this process, the name of the program first, as names of files: they need not be UTF-8.
///
/// Swift's `CommandLine` reads them from `/proc` on Linux, and has none where that is not mounted.
public enum ProgramArguments {
  /// All arguments.
  public static let all: [String] = {
    var count: Int32 = 0
    guard let values = halcyon_arguments(&count) else { return CommandLine.arguments }
    return (0..<Int(count)).compactMap { index in values[index].map { String(fileName: UnsafePointer($0)) } }
  }()
}

/// How arguments are parsed.
enum Arguments {
  /// Whether commands check how many sources there are.
  @TaskLocal static var areChecked = true
}
