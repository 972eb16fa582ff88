import ArgumentParser
import Foundation
import Halcyon
import HalcyonCodecs

/// How an image gets a size, by name.
enum ResizeArgument: String, ExpressibleByArgument, CaseIterable {
  case fit, fill, exact

  /// `nil` if a side is missing that this needs.
  func target(_ size: SizeArgument) -> TargetSize? {
    if self == .fit { return size.target }
    guard let width = size.width, let height = size.height else { return nil }
    return self == .fill ? .fill(width: width, height: height) : .exact(width: width, height: height)
  }
}

/// A format that can be written, by its name or the extension of its files.
struct FormatArgument: ExpressibleByArgument {
  let format: ImageFormat

  init?(argument: String) {
    guard let format = ImageFormat(fileExtension: argument), StandardCodecs.writable.contains(format) else {
      return nil
    }
    self.format = format
  }

  static var allValueStrings: [String] { StandardCodecs.encoders.map(\.format.rawValue) }
}

/// A colour space by name.
enum ColorSpaceArgument: String, ExpressibleByArgument, CaseIterable {
  case srgb, p3, source

  var target: TargetColorSpace {
    switch self {
    case .srgb: .sRGB
    case .p3: .displayP3
    case .source: .source
    }
  }
}

/// A metadata policy by name.
enum MetadataArgument: String, ExpressibleByArgument, CaseIterable {
  case strip, copyright, keep

  var policy: MetadataPolicy {
    switch self {
    case .strip: .strip
    case .copyright: .copyright
    case .keep: .keep
    }
  }
}
