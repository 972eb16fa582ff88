import Foundation
@_spi(Programs) import HalcyonImaging
import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct RenditionTests {
  private func keyText(_ rendition: Rendition) -> String { KeyFields.key { rendition.append(to: &$0) }.text }

  /// A change of these texts makes stored entries unreachable.
  @Test(
    arguments: [
      (.original, ""), (.fit(width: 40, height: 30), "|size=9:fit 40x30"),
      (.fill(width: 40, height: 30), "|size=10:fill 40x30"),
      (.fill(width: 40, height: 30, anchor: .top), "|size=18:fill 40x30 0.5,0.0"),
      (.exact(width: 40, height: 30), "|size=11:exact 40x30"),
      (.exact(width: 40, height: 30, enlarges: false), "|size=22:exact 40x30 or smaller"),
    ] as [(TargetSize, String)])
  func `keys stay as they are`(size: TargetSize, text: String) {
    #expect(keyText(Rendition(size: size)) == text)
    var wide = Rendition(size: size, processors: [.circle(), .invert])
    wide.colorSpace = .displayP3
    let processors = BuiltInProcessor.circle().identifier
    #expect(
      keyText(wide)
        == "\(text)|process=\(processors.utf8.count):\(processors)|process=14:halcyon.invert|color=9:displayP3")
  }

  @Test(
    arguments: [
      (Rendition.Encoding(), "automatic"), (Rendition.Encoding(quality: 0.5), "automatic 0.5"),
      (Rendition.Encoding(as: .jpeg), "jpeg 0.8"),
      (Rendition.Encoding(as: .webp, quality: 0.7, byteLimit: 9, metadata: .copyright), "webp 0.7 9 copyright"),
    ])
  func `keys of stored forms stay as they are`(encoding: Rendition.Encoding, text: String) {
    #expect(encoding.keyText == text)
  }

  /// Every property with another value than its default, and whether it changes the pixels of an image.
  private static let changes: [(name: String, changesPixels: Bool, change: @Sendable (inout Rendition) -> Void)] = [
    ("size", true, { $0.size = .fit(width: 3) }),
    ("region", true, { $0.region = PixelArea(left: 1, top: 2, width: 3, height: 4) }),
    ("processors", true, { $0.processors = [.invert] }),
    ("encoding", false, { $0.encoding = Rendition.Encoding() }), ("frameLimit", false, { $0.frameLimit = 2 }),
    ("processingByteCount", false, { $0.processingByteCount = 1 }),
    ("colorSpace", true, { $0.colorSpace = .displayP3 }), ("dynamicRange", true, { $0.dynamicRange = .high }),
    ("allowsPartialImage", false, { $0.allowsPartialImage = true }),
    ("keepsAnimation", false, { $0.keepsAnimation = true }),
  ]

  @Test func `renditions that differ in a property are not equal, and have other keys if it changes pixels`() {
    let plain = Rendition()
    #expect(Mirror(reflecting: plain).children.compactMap(\.label).sorted() == Self.changes.map(\.name).sorted())
    var keys: Set = [keyText(plain)]
    for (name, changesPixels, change) in Self.changes {
      var (changed, same) = (plain, plain)
      change(&changed)
      change(&same)
      #expect(changed != plain, "\(name)")
      #expect(changed == same, "\(name)")
      #expect(changed.hashValue == same.hashValue, "\(name)")
      #expect(keys.insert(keyText(changed)).inserted == changesPixels, "\(name)")
    }
  }

  @Test func `sizes and processors that differ have other keys`() {
    let sizes: [TargetSize] = [
      .original, .fit(width: 40, height: 30), .fit(width: 30, height: 40), .fit(width: 40), .fit(height: 40),
      .fill(width: 40, height: 30), .fill(width: 40, height: 30, anchor: .top),
      .fill(width: 40, height: 30, anchor: .left), .fill(width: 40, height: 30, enlarges: true),
      .fill(width: 40, height: 30, anchor: .top, enlarges: true), .exact(width: 40, height: 30),
      .exact(width: 40, height: 30, enlarges: false),
    ]
    #expect(Set(sizes.map { keyText(Rendition(size: $0)) }).count == sizes.count)
    let processors: [[any ImageProcessor]] = [
      [.invert], [.invert, .invert], [.invert, .circle()], [.circle(), .invert],
    ]
    #expect(Set(processors.map { keyText(Rendition(processors: $0)) }).count == processors.count)
  }

  /// Every property of a form with another value than its default.
  private static let forms: [(name: String, change: @Sendable (inout Rendition.Encoding) -> Void)] = [
    ("format", { $0.format = .jpeg }), ("validQuality", { $0.quality = 0.5 }), ("byteLimit", { $0.byteLimit = 9 }),
    ("metadata", { $0.metadata = .keep }), ("metadata", { $0.metadata = .copyright }),
    ("colorLimit", { $0.colorLimit = 9 }), ("isLossless", { $0.isLossless = true }),
  ]

  @Test(arguments: [nil, ImageFormat.png])
  func `forms that differ in a property have other keys`(format: ImageFormat?) {
    let plain = Rendition.Encoding(as: format)
    #expect(Set(Mirror(reflecting: plain).children.compactMap(\.label)) == Set(Self.forms.map(\.name)))
    var keys: Set = [plain.keyText]
    for (name, change) in Self.forms {
      var changed = plain
      change(&changed)
      #expect(changed != plain, "\(name)")
      #expect(keys.insert(changed.keyText).inserted, "\(name)")
    }
  }
}
