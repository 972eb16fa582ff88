import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonTestSupport

/// The kind of image that the server has under a number.
enum ImageKind: String {
  case jpeg = "JPEG"
  case png = "PNG"
  case webp = "WebP"
  case avif = "AVIF"
  case jpegXL = "JPEG XL"
  case svg = "SVG"
  case animated = "GIF"
  case photo = "Photo"
  case slow = "Progressive"
  case missing = "404"

  init(number: Int) {
    switch number {
    case _ where number % 37 == 21: self = .missing
    case _ where number % 19 == 4: self = .slow
    case _ where number % 13 == 2: self = .animated
    case _ where number % 9 == 1: self = .photo
    case _ where number % 17 == 6: self = .svg
    case _ where number % 29 == 8: self = .avif
    case _ where number % 31 == 13: self = .jpegXL
    case _ where number % 7 == 3: self = .webp
    case _ where number % 11 == 5: self = .png
    default: self = .jpeg
    }
  }

  var title: String {
    switch self {
    case .photo, .slow: "Photograph"
    case .animated: "Moving sun"
    case .svg: "Poster"
    case .missing: "Missing image"
    default: "Landscape"
    }
  }

  /// The encoded image of a number, or `nil` for `missing`.
  func data(number: Int) throws -> Data? {
    switch self {
    case .jpeg: try Self.landscape(number, width: 1200, height: 900, as: .jpeg)
    case .png: try Self.landscape(number, width: 480, height: 360, as: .png)
    case .webp: try Self.landscape(number, width: 640, height: 480, as: .webp)
    case .avif: try Self.landscape(number, width: 400, height: 300, as: .avif)
    case .jpegXL: try Self.landscape(number, width: 400, height: 300, as: .jpegXL)
    case .svg: Poster(number: number).data
    case .animated: try Self.animation(number: number)
    case .photo: try Photos.data(Photos.names[number / 9 % Photos.names.count])
    case .slow: try Photos.data("rocket_progressive.jpg")
    case .missing: nil
    }
  }

  private static func landscape(_ number: Int, width: Int, height: Int, as format: ImageFormat) throws -> Data {
    let picture = DecodedImage(bitmap: try Landscape(number: number).draw(width: width, height: height))
    return try picture.encoded(as: format, quality: 0.85)
  }

  private static func animation(number: Int) throws -> Data {
    let frames = try (0..<16).map { frame in
      let time = 0.5 + 0.5 * sin(Float(frame) / 16 * 2 * .pi)
      let bitmap = try Landscape(number: number, time: time).draw(width: 280, height: 210)
      return AnimationFrame(bitmap: bitmap, duration: .milliseconds(90))
    }
    return try StandardCodecs.gif(frames)
  }
}
