import Foundation
import HalcyonImaging
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

  @Test func `equal identifiers of processors make equal renditions`() {
    let first = Rendition(processors: [.circle()], encoding: .init(as: .png))
    #expect(first == Rendition(processors: [.circle()], encoding: .init(as: .png)))
    #expect(first.hashValue == Rendition(processors: [.circle()], encoding: .init(as: .png)).hashValue)
    #expect(first != Rendition(processors: [.invert], encoding: .init(as: .png)))
    #expect(first != Rendition(processors: [.circle()], encoding: .init(as: .jpeg)))
    #expect(first != Rendition(size: .fit(width: 3), processors: [.circle()], encoding: .init(as: .png)))
  }
}
