import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct EnvironmentFileTests {
  private func variables(_ text: String) throws -> [String: String] {
    try EnvironmentFile.variables(in: text, path: "env", environment: ["HOME": "/home/a"])
  }

  @Test(arguments: [
    ("A=b", "b"), ("A = b ", "b"), ("export A=b", "b"), ("\u{FEFF}A=b\r\n", "b"), ("\n# A=c\n  A=b # c", "b"),
    ("A=b#c", "b#c"), ("A='b # $HOME\\n'", "b # $HOME\\n"), ("A=\"b\\n\\\"c\\\\\"", "b\n\"c\\"), ("A=", ""),
    ("A=$HOME/x", "/home/a/x"), ("A=\"${HOME}x\" # c", "/home/ax"), ("A=\\$HOME", "$HOME"), ("A=\"\\$HOME\"", "$HOME"),
    ("B=1\nA=$B$B", "11"), ("A=$", "$"), ("A=$MISSING.", "."), ("A=\"two\nlines\"", "two\nlines"), ("A=b=c", "b=c"),
    ("A=1\nA=2", "2"), ("HOME=/b\nA=$HOME", "/b"), ("A=#c", ""), ("A= # c", ""),
  ])
  func `a value is read as imgproxy reads it`(text: String, value: String) throws {
    #expect(try variables(text)["A"] == value)
  }

  @Test(arguments: [
    ("A", 1), ("A=1\nB", 2), ("=1", 1), ("A B=1", 1), ("A='b", 1), ("\n\nA=\"b", 3), ("A='b' c", 1), ("A-B=1", 1),
  ])
  func `a line that is no variable is an error with its number`(text: String, line: Int) {
    #expect(throws: ConfigurationError.malformedLine(line, file: "env")) { try variables(text) }
  }
}
