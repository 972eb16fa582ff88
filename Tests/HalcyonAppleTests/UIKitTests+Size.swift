#if canImport(UIKit)
import Foundation
import Halcyon
import HalcyonApple
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import Testing
import UIKit

/// Views that get their size from their image.
extension UIKitTests {
  @Test(
    arguments: [
      (CGSize.zero, [600, 300]), (CGSize(width: 10, height: 0), [20, 10]), (CGSize(width: 0, height: 10), [40, 20]),
    ] as [(CGSize, [Int?])])
  func `a view that gets its size from its image loads it once it has been laid out`(
    size: CGSize, expected: [Int?]
  ) async throws {
    let view = imageView(.scaleAspectFill)
    view.removeFromSuperview()
    view.frame.size = size
    view.hc.setImage(with: fixture.url("4000x2000"), completion: fixture.completion)
    window.addSubview(view)
    #expect(fixture.transport.requests.isEmpty, "it has not been laid out")
    window.layoutIfNeeded()
    try await fixture.ends.waitForEvents(count: 1)
    #expect(pixels(view.image) == expected)
    // As Auto Layout does.
    view.frame.size = view.intrinsicContentSize
    window.layoutIfNeeded()
    #expect(!view.hc.isLoading && pixels(view.image) == expected)
  }

  @Test func `the image view of a table cell shows the image of a reused cell`() async throws {
    let cell = UIView(frame: CGRect(x: 0, y: 0, width: 300, height: 44))
    window.addSubview(cell)
    let view = UIImageView(frame: .zero)
    cell.addSubview(view)
    view.hc.pipeline = fixture.pipeline
    for name in ["80x40", "60x60"] {
      let count = fixture.ends.events.count
      view.hc.setImage(with: fixture.url(name), completion: fixture.completion)
      window.layoutIfNeeded()
      try await fixture.ends.waitForEvents(count: count + 1)
    }
    #expect(fixture.ends.events == ["80x40", "60x60"])
    #expect(view.image != nil)
  }

  @Test func `an image view in a stack view loads at the width of the stack`() async throws {
    let view = imageView()
    let stack = UIStackView(arrangedSubviews: [view])
    window.addSubview(stack)
    view.hc.setImage(with: fixture.url("400x200"), completion: fixture.completion)
    stack.frame.size = CGSize(width: 10, height: 200)
    window.layoutIfNeeded()
    try await fixture.ends.waitForEvents(count: 1)
    stack.setNeedsLayout()
    window.layoutIfNeeded()
    #expect(fixture.ends.events == ["20x10"])
    #expect(view.bounds.size == CGSize(width: 10, height: 5) && !view.hc.isLoading)
  }

  @Test func `the image of a list cell is that of its content, in its maximum size or the cell's height`() async throws
  {
    for (limit, expected) in [(CGSize.zero, 80), (CGSize(width: 10, height: 10), 20)] {
      let (row, item) = (UITableViewCell(frame: square), UICollectionViewCell(frame: square))
      var content = UIListContentConfiguration.cell()
      (content.text, content.imageProperties.maximumSize) = ("name", limit)
      for cell in [row, item] { cell.frame = CGRect(x: 0, y: 0, width: 300, height: 40) }
      (row.contentConfiguration, item.contentConfiguration) = (content, content)
      for proxy in [row.hc, item.hc] {
        proxy.pipeline = fixture.pipeline
        let count = fixture.ends.events.count
        proxy.setImage(with: fixture.url("200x200"), completion: fixture.completion)
        try await fixture.ends.waitForEvents(count: count + 1)
      }
      for shown in [row.contentConfiguration, item.contentConfiguration] {
        let list = shown as? UIListContentConfiguration
        #expect(list?.text == "name" && list?.image?.cgImage?.width == expected)
      }
    }
  }

  @Test func `a button that gets its size from its image loads it once it has been laid out`() async throws {
    let button = UIButton(frame: .zero)
    window.addSubview(button)
    button.hc.image(for: .normal).pipeline = fixture.pipeline
    button.hc.setImage(with: fixture.url("80x40"), for: .normal, completion: fixture.completion)
    #expect(fixture.transport.requests.isEmpty)
    window.layoutIfNeeded()
    try await fixture.ends.waitForEvents(count: 1)
    #expect(pixels(button.image(for: .normal)) == [80, 40])
  }

  @Test func `a text attachment in an empty label loads once that has been laid out`() async throws {
    let label = UIView(frame: .zero)
    window.addSubview(label)
    let attachment = NSTextAttachment()
    attachment.hc(in: label).pipeline = fixture.pipeline
    attachment.hc(in: label).setImage(with: fixture.url("80x40"), completion: fixture.completion)
    #expect(fixture.transport.requests.isEmpty)
    window.layoutIfNeeded()
    try await fixture.ends.waitForEvents(count: 1)
    #expect(attachment.image?.cgImage?.width == 80)
  }

  @Test func `an image is decoded once the scale of the screen is known, and has a scale until then`() async throws {
    UITraitCollection.current = UITraitCollection(displayGamut: .SRGB, displayScale: 0)
    defer { UITraitCollection.current = UITraitCollection(displayGamut: .SRGB) }
    let view = imageView()
    view.hc.setImage(with: fixture.url("80x40"), completion: fixture.completion)
    let sized = imageView()
    var request = ImageRequest(url: fixture.url("90x40"))
    request.size = .fit(width: 30, height: 30)
    sized.hc.setImage(with: request, completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(sized.image?.scale == 1 && fixture.transport.requests.count == 1)
    UITraitCollection.current = UITraitCollection(displayGamut: .SRGB)
    view.hc.binder.displayDidChange()
    try await fixture.ends.waitForEvents(count: 2)
    #expect(pixels(view.image) == [20, 10])
  }
}
#endif
