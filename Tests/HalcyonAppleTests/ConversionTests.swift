import CoreGraphics
import Foundation
import Halcyon
import HalcyonApple
import HalcyonImaging
import HalcyonTesting
import ImageIO
import SwiftUI
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

#if canImport(UIKit)
import UIKit
#endif
#if canImport(AppKit)
import AppKit
#endif

/// Pixels from the library to the image types of Apple's platforms and back.
@Suite(.integrationTest)
struct ConversionTests {
  /// Six pixels with their number in the red component, half of them half transparent and premultiplied.
  private func numbered(isOpaque: Bool = false) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 3, height: 2), isOpaque: isOpaque) { bytes in
      for pixel in 0..<6 {
        let alpha: UInt8 = isOpaque || pixel.isMultiple(of: 2) ? 255 : 128
        for (offset, value) in [UInt8(pixel * 20), 7, 0, alpha].enumerated() { bytes[pixel * 4 + offset] = value }
      }
    }
  }

  private func reds(_ bitmap: Bitmap) -> [[UInt8]] {
    (0..<bitmap.size.height).map { row in (0..<bitmap.size.width).map { bitmap[$0, row].red / 20 } }
  }

  private func bytes(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { Array($0) } }

  @Test(arguments: [
    (CGImageSourceStatus.statusComplete, false), (.statusUnknownType, false), (.statusReadingHeader, false),
    (.statusIncomplete, true), (.statusUnexpectedEOF, true), (.statusInvalidData, true),
  ])
  func `only a status of ImageIO that says so means a cut image`(status: CGImageSourceStatus, isCut: Bool) {
    #expect(status.isCut == isCut)
  }

  @Test func `the frames of a file are decoded from one source`() throws {
    let file = try PNGEncoder().encode(
      AppleFixture.bitmap(width: 5, height: 3, pixel: [1, 77, 33, 255]), options: EncodingOptions())
    let reader = ImageIOReader()
    #expect(reader.imageCount(of: file) == 1)
    for _ in 0..<3 {
      let image = try reader.image(of: file, at: 0, longestSide: nil, colorSpace: .sRGB, dynamicRange: .standard)
      #expect(image?.bitmap.size == PixelSize(width: 5, height: 3))
    }
    #expect(sourceCounts[file] == 1)
  }

  @Test func `half floats are shared with Core Graphics, and come back`() throws {
    let bitmap = try lights()
    let image = try #require(bitmap.cgImage)
    #expect(image.colorSpace?.name == CGColorSpace.extendedLinearDisplayP3)
    #expect(image.bitmapInfo.isSuperset(of: [.floatComponents, .byteOrder16Little]) && image.bytesPerRow == 16)
    let back = try Bitmap(image, colorSpace: .displayP3, dynamicRange: .high)
    #expect(back.dynamicRange == .high && bytes(back) == bytes(bitmap))
  }

  @Test func `all users of a bitmap share one image, as long as there is one`() throws {
    var bitmap = try AppleFixture.bitmap(width: 4, height: 3)
    weak var last: CGImage?
    do {
      let (image, other) = (try #require(bitmap.cgImage), DecodedImage(bitmap: bitmap).cgImage)
      #expect(image === other)
      var wide = bitmap
      wide.colorSpace = .displayP3
      #expect(wide.cgImage?.colorSpace?.name == CGColorSpace.displayP3)
      last = image
      try bitmap.withUnsafeMutableBytes { $0[0] = 7 }
      #expect(bitmap.cgImage !== image, "it does not show the pixels that were changed")
    }
    #expect(last == nil)
  }

  #if canImport(SwiftUI)
  @MainActor @Test func `an image of SwiftUI may be as bright as its half floats`() throws {
    #expect(Image(DecodedImage(bitmap: try lights()))?.range == .high)
    #expect(Image(DecodedImage(bitmap: try lights()), label: Text("lamp"))?.range == .high)
    #expect(Image(DecodedImage(bitmap: try numbered()))?.range == nil)
  }
  #endif

  #if canImport(UIKit)
  @MainActor @Test func `a view shows half floats as bright as they are, unless the program asks otherwise`() throws {
    let lamp = ImagePlaceholder.image(DecodedImage(bitmap: try lights()))
    for (asked, expected) in [(UIImage.DynamicRange.unspecified, UIImage.DynamicRange.high), (.standard, .standard)] {
      let view = UIImageView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
      view.preferredImageDynamicRange = asked
      view.hc.setImage(with: nil, placeholder: lamp)
      #expect(view.image != nil && view.preferredImageDynamicRange == expected)
    }
    let plain = UIImageView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
    plain.hc.setImage(with: nil, placeholder: .image(DecodedImage(bitmap: try numbered())))
    #expect(plain.preferredImageDynamicRange == .unspecified)
  }
  #endif

  /// White, and a light four times as bright.
  private func lights() throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 2, height: 1), isOpaque: true, dynamicRange: .high) { bytes in
      bytes.copyBytes(from: [0, 0x3C, 0, 0x3C, 0, 0x3C, 0, 0x3C, 0, 0x44, 0, 0x44, 0, 0x44, 0, 0x3C])
    }
  }

  @Test func `HEIC is written only where the system has an encoder`() {
    #expect(HEICEncoder() == nil)
    #expect(StandardCodecs.writable == [.jpeg, .png, .gif])
  }

  @Test func `sizes in points are converted to pixels, rounded up`() {
    let box = CGSize(width: 33.3, height: 20)
    #expect(TargetSize.fit(box, scale: 3) == .fit(width: 100, height: 60))
    #expect(TargetSize.fill(box, scale: 1.5, anchor: .top) == .fill(width: 50, height: 30, anchor: .top))
    #expect(TargetSize.fit(CGSize(width: -1, height: 5), scale: 2) == .fit(width: 0, height: 10))
    #expect(TargetSize.fit(CGSize(width: 1e300, height: 10), scale: 1) == .fit(width: .max, height: 10))
  }

  @Test(arguments: [true, false])
  func `a bitmap is the same after its way through a CGImage, premultiplied alpha included`(isOpaque: Bool) throws {
    let bitmap = try numbered(isOpaque: isOpaque)
    let image = try #require(bitmap.cgImage)
    #expect((image.width, image.height, image.bytesPerRow) == (3, 2, 12))
    #expect(image.alphaInfo == (isOpaque ? .noneSkipLast : .premultipliedLast))
    let back = try Bitmap(image)
    #expect(bytes(back) == bytes(bitmap))
    #expect(back.isOpaque == isOpaque && back.size == bitmap.size)
  }

  @Test func `a CGImage keeps the pixels of a bitmap that has been released`() throws {
    var bitmap: Bitmap? = try numbered()
    let expected = try bytes(#require(bitmap))
    let image = try #require(bitmap?.cgImage)
    bitmap = nil
    #expect(bytes(try Bitmap(image)) == expected)
  }

  @Test func `padded rows and skipped alpha are read as opaque pixels`() throws {
    let padded = UnsafeMutablePointer<UInt8>.allocate(capacity: 32)
    for index in 0..<32 { padded[index] = UInt8(index) }
    let provider = try #require(
      CGDataProvider(dataInfo: nil, data: padded, size: 32) { _, data, _ in data.deallocate() })
    let space = try #require(CGColorSpace(name: CGColorSpace.sRGB))
    let image = try #require(
      CGImage(
        width: 3, height: 2, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 16, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.noneSkipLast.rawValue), provider: provider, decode: nil,
        shouldInterpolate: true, intent: .defaultIntent))
    let bitmap = try Bitmap(image)
    #expect(bitmap.isOpaque)
    #expect(bytes(bitmap).prefix(4) == [0, 1, 2, 255])
    #expect(bytes(bitmap).suffix(4) == [24, 25, 26, 255])
  }

  @Test func `a decoded image from a CGImage has its scale and says whether it has alpha`() throws {
    let image = try DecodedImage(#require(try numbered().cgImage), scale: 3)
    #expect(image.scale == 3 && image.info.hasAlpha == true)
    #expect(try DecodedImage(#require(try numbered(isOpaque: true).cgImage)).info.hasAlpha == false)
  }

  @Test @MainActor func `an image of SwiftUI has the pixels and the scale`() throws {
    let decoded = try DecodedImage(#require(try numbered().cgImage), scale: 2)
    for image in [Image(decoded), Image(decoded, label: Text("numbers"))] {
      let image = try #require(image)
      #expect(image.scale == 2)
      #expect(bytes(try Bitmap(#require(image.pixels))) == bytes(try numbered()))
    }
  }

  @Test func `drawings and documents, which Apple's systems do not decode, are errors that say what to do`() async {
    let drawing = await #expect(throws: ImageDecodingError.unsupportedFormat(.svg)) {
      try await DecodedImage(data: Data("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>".utf8))
    }
    #expect(drawing?.description.contains("Add a decoder for it to the pipeline's configuration") == true)
    await #expect(throws: ImageDecodingError.unknownFormat) {
      try await DecodedImage(data: Data("%PDF-1.7\n".utf8))
    }
  }

  #if canImport(UIKit)
  @Test func `a UIImage has the scale, and is the same image again`() throws {
    var decoded = try DecodedImage(#require(try numbered().cgImage))
    decoded.scale = 2
    let image = try #require(decoded.uiImage)
    #expect(image.scale == 2 && image.imageOrientation == .up)
    #expect(image.size == CGSize(width: 1.5, height: 1))
    let back = try DecodedImage(image)
    #expect(back.scale == 2)
    #expect(bytes(back.bitmap) == bytes(try numbered()))
  }

  @Test(arguments: [
    (UIImage.Orientation.up, [[0, 1, 2], [3, 4, 5]]), (.down, [[5, 4, 3], [2, 1, 0]]),
    (.left, [[2, 5], [1, 4], [0, 3]]), (.right, [[3, 0], [4, 1], [5, 2]]),
    (.upMirrored, [[2, 1, 0], [5, 4, 3]]), (.downMirrored, [[3, 4, 5], [0, 1, 2]]),
    (.leftMirrored, [[0, 3], [1, 4], [2, 5]]), (.rightMirrored, [[5, 2], [4, 1], [3, 0]]),
  ])
  func `a UIImage is rotated upright`(orientation: UIImage.Orientation, expected: [[UInt8]]) throws {
    let image = UIImage(cgImage: try #require(try numbered().cgImage), scale: 1, orientation: orientation)
    let decoded = try DecodedImage(image)
    #expect(reds(decoded.bitmap) == expected)
    #expect(image.size == CGSize(width: decoded.size.width, height: decoded.size.height))
  }

  @Test func `a UIImage without pixels is an error that says what to do`() throws {
    let error = #expect(throws: PlatformImageError.self) { try DecodedImage(UIImage()) }
    #expect((error as (any Error)?)?.localizedDescription == error?.description)
    #expect(error?.description.contains("Draw it into a bitmap") == true)
  }

  @Test @MainActor func `a UIImage is stored and loaded like any other image`() async throws {
    let fixture = AppleFixture()
    let photo = UIImage(cgImage: try #require(try numbered().cgImage), scale: 1, orientation: .right)
    try await fixture.pipeline.store(photo, for: ImageRequest(url: fixture.url("own")))
    let image = try await fixture.pipeline.image(for: fixture.url("own"))
    #expect(reds(image.bitmap) == [[3, 0], [4, 1], [5, 2]])
    #expect(fixture.transport.requests.isEmpty)
    await #expect(throws: PlatformImageError.noPixels) {
      try await fixture.pipeline.store(UIImage(), for: ImageRequest(url: fixture.url("own")))
    }
  }
  #endif

  #if canImport(AppKit)
  @Test func `an NSImage has the size in points, and is the same image again`() throws {
    var decoded = try DecodedImage(#require(try numbered().cgImage))
    decoded.scale = 2
    let image = try #require(decoded.nsImage)
    #expect(image.size == CGSize(width: 1.5, height: 1))
    let back = try DecodedImage(image)
    #expect(back.scale == 2)
    #expect(bytes(back.bitmap) == bytes(try numbered()))
  }

  @Test func `an NSImage without pixels is an error, and one without a size has the scale 1`() throws {
    #expect(throws: PlatformImageError.noPixels) {
      try DecodedImage(NSImage(size: CGSize(width: 10, height: 10)))
    }
    let image = NSImage(cgImage: try #require(try numbered().cgImage), size: .zero)
    #expect(try DecodedImage(image).scale == 1)
  }
  #endif
}
