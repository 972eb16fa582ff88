import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.unitTest)
struct FileNameTests {
  @Test func `every name of bytes has a string of its own, and its bytes again`() {
    let parts: [[UInt8]] = [
      Array("a".utf8), Array("é日🏳️‍🌈".utf8), [0xE9], [0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80],
      [0xF4, 0x8F, 0xBF, 0xA9],
      [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0x2F], [0xCC, 0x81],
    ]
    var strings: Set<[UInt8]> = []
    for one in parts {
      for other in parts {
        let bytes = one + other
        let text = String(fileName: bytes)
        #expect(text.fileNameBytes == bytes)
        strings.insert(Array(text.utf8))
      }
    }
    #expect(strings.count == Set(parts.flatMap { one in parts.map { one + $0 } }).count)
  }

  @Test func `names in UTF-8 are unchanged`() {
    for name in ["", "a.jpg", "größe 日本語.png", "e\u{301}"] {
      #expect(String(fileName: Array(name.utf8)).hasSameBytes(as: name))
      #expect(name.isUnicodeFileName)
    }
    #expect(!String(fileName: [0x61, 0xE9]).isUnicodeFileName)
  }

  @Test func `a slash or a dot with a combining mark is a slash or a dot`() {
    #expect(
      "..\u{301}/../\u{301}x".pathComponents.map { Array($0.utf8) }
        == ["..\u{301}", "..", "\u{301}x"].map { Array($0.utf8) })
    #expect("a/\u{301}x".lastComponent.hasSameBytes(as: "\u{301}x"))
    #expect("/\u{301}x".isAbsolutePath)
    #expect("a\u{600}/".endsWithSlash)
    #expect(".\u{301}x".isHiddenName)
    #expect("a.\u{301}png".stemAndExtension.stem == "a")
    #expect("a/b/\u{301}".parentFolder == "a/b")
  }

  @Test(arguments: [
    ("a.png", "a", "png"), ("a.tar.gz", "a.tar", "gz"), (".hidden", ".hidden", ""), ("a.", "a", ""), ("a", "a", ""),
  ])
  func `the extension is what follows the last dot, unless that is the first`(
    _ name: String, stem: String, ending: String
  ) {
    #expect(name.stemAndExtension == (stem, ending))
  }

  @Test func `paths are made absolute, and standardized without following links`() {
    #expect("/a/../b//./c".standardizedPath == "/b/c")
    #expect("/../..".standardizedPath == "/")
    #expect("x".standardizedPath == FileManager.default.currentDirectoryPath + "/x")
    #expect("a//".withoutEndSlashes == "a" && "//".withoutEndSlashes == "/")
  }
}
