import ArgumentParser
import Halcyon
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

/// The values of options that several commands have.
@Suite(.unitTest)
struct ArgumentTests {
  @Test(
    arguments: [
      ("4096", 4096), ("64K", 65_536), ("3m", 3_145_728), ("2G", 2_147_483_648), ("-1", nil), ("1.5M", nil), ("K", nil),
      ("9000000000G", nil), ("0", 0),
    ] as [(String, Int?)])
  func `a number of bytes may have a unit of 1024`(text: String, byteCount: Int?) {
    #expect(ByteCountArgument(argument: text)?.byteCount == byteCount)
  }

  @Test(
    arguments: [
      ("90", 90), ("90s", 90), ("1.5m", 90), ("12h", 43_200), ("7d", 604_800), ("-1d", nil), ("1w", nil), ("d", nil),
    ] as [(String, Double?)])
  func `an age is in seconds unless it has another unit`(text: String, seconds: Double?) {
    #expect(AgeArgument(argument: text)?.seconds == seconds)
  }

  @Test(arguments: ["4x5x6", "10001%", "-4", "x-4"])
  func `a size has two sides at most, which are above 0, or is a share`(text: String) {
    #expect(SizeArgument(argument: text) == nil)
  }

  @Test func `a policy of freshness has the name that the help explains`() {
    #expect(FreshnessArgument(rawValue: "revalidate")?.policy == .revalidate)
  }

  @Test func `a limit that is named may be above the default, and others stay`() throws {
    let limits = try LimitOptions.parse(["--max-bytes", "9000000000"]).limits()
    #expect(limits == ImageLimits(encodedByteCount: 9_000_000_000))
    let large = try LimitOptions.parse(["--max-pixels", "9000000001", "--max-side", "90001"]).limits()
    #expect(large == ImageLimits(pixelCount: 9_000_000_001, sideLength: 90_001))
  }

  @Test(arguments: [
    ("in/{name}-{height}.{ext}", true), ("", false), ("/in/{name}.{ext}", false), ("{name}/", false),
    ("{name.{ext}", false), ("name}.{ext}", false),
  ])
  func `a pattern of names is a path below a folder`(text: String, isAccepted: Bool) {
    #expect((NamePattern(argument: text) != nil) == isAccepted)
  }

  @Test(
    arguments: [
      ("a/b*/c.jpg", "a", ["b*", "c.jpg"]), ("/a/?.jpg", "/a", ["?.jpg"]), ("[ab].jpg", ".", ["[ab].jpg"]),
      ("a/**", "a", ["**", "*"]), ("a/**/**/*.jpg", "a", ["**", "*.jpg"]), ("a/b.jpg", nil, nil),
    ] as [(String, String?, [String]?)])
  func `a pattern begins with its first special character, and may end with folders of any depth`(
    text: String, folder: String?, components: [String]?
  ) {
    #expect(Pattern(text)?.folder == folder)
    #expect(Pattern(text)?.components == components)
  }
}
