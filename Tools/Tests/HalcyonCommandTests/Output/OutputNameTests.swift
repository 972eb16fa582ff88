import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.unitTest)
struct OutputNameTests {
  @Test(arguments: [
    ("http://h/a/photo.jpg", "photo"), ("http://h/photo.tar.png?x=/y.gif#/z", "photo.tar"),
    ("http://h/photo/", "photo"), ("http://h/a.png#/b.jpg", "a"),
    ("http://h", "image"), ("http://h/", "image"), ("http://h/?/x", "image"), ("data:image/png;base64,a/b", "image"),
    ("-", "image"), ("a/b.png", "b"), ("/a/100%25.png", "100%25"), ("http://h/100%25.png", "100%"),
    ("http://h/%zz.png", "%zz"),
    // Folders.
    ("http://h/..%2F..%2Fetc%2Fx.png", "x"), ("http://h/..%2F%CC%81x.png", "\u{301}x"), ("http://h/%2e%2e", "image"),
    ("http://h/%2e%2e%2f", "image"), ("http://h/a%2f%2e", "image"), ("http://h/..", "image"),
    ("http://h/%2Fetc%2Fpasswd", "passwd"),
    ("http://h/..%252Fx.png", "..%2Fx"),
    // Hidden files, and control characters.
    ("http://h/.bashrc.png", "bashrc"), ("http://h/..%2E.png", "png"),
    ("http://h/a%0Ab%00c%1B%5B2J%C2%9Bd.png", "abc[2Jd"),
    ("http://h/a%E2%80%AEb%E2%80%A8.png", "ab"), ("http://h/%0A.png", "png"), ("http://h/%9Ba.png", "a"),
    ("http://h/.%0A.png", "png"), ("http://h/%0A..png", "png"),
  ])
  func `the name in a folder is the last part of the decoded path, visible and without dots at its beginning`(
    source: String, stem: String
  ) {
    let expected = stem == "..%2Fx" ? "%2Fx" : stem
    #expect(OutputName.stem(of: source).hasSameBytes(as: expected), "\(source)")
  }

  @Test func `a name keeps bytes that are not UTF-8, and is at most 200 bytes long`() {
    #expect(OutputName.stem(of: "http://h/caf%E9.png").fileNameBytes == Array("caf".utf8) + [0xE9])
    let long = OutputName.stem(of: "http://h/" + String(repeating: "%C3%A4", count: 300) + ".png")
    #expect(long == String(repeating: "ä", count: 100))
  }

  @Test func `lines and JSON have no characters that change what a terminal shows`() throws {
    let hostile = "a\u{1B}[2J\r\nb\u{85}\u{9B}c\u{202E}\u{2066}\u{2028}\u{7F}\u{E0041}" + String(fileName: [0xE9])
    #expect(!hostile.printableLine.unicodeScalars.contains { !$0.isPrintable })
    // With both joiners.
    for text in ["größer 日本語 👨‍👩‍👧", "Auf\u{200C}lage"] { #expect(text.printableLine == text) }
    let line = try JSONLine.encode(["name": hostile, "none": nil])
    #expect(!line.unicodeScalars.contains { !$0.isPrintable })
    let decoded = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    #expect(decoded == ["name": String(hostile.dropLast()) + "\u{FFFD}"])
  }

  @Test func `the file URL of a path has its bytes`() {
    #expect(SourceArgument.fileURL(String(fileName: Array("/a b/%?#".utf8) + [0xE9])) == "file:///a%20b/%25%3F%23%E9")
    for url in ["http://h/a", "HTTPS://h", "data:image/png;base64,", "file:///a", "x-y+z.1://h"] {
      #expect(SourceArgument.isURL(url))
    }
    for path in ["", "-", "data", "a:b", "http:/a", "://a", "./http://a", "é://a"] {
      #expect(!SourceArgument.isURL(path))
    }
  }
}
