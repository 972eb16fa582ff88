import ArgumentParser
import Foundation
import Halcyon
import HalcyonCodecs

/// How an image gets a size, by name.
enum ResizeArgument: String, ExpressibleByArgument, CaseIterable {
  case fit, fill, exact

  /// `nil` if a side is missing that this needs.
  func size(_ size: SizeArgument) -> ResultSize? {
    switch (self, size) {
    case (.fit, .percent(let percent)): return .share(min(percent, 100) / 100, enlarges: false)
    case (.exact, .percent(let percent)): return .share(percent / 100, enlarges: true)
    case (.fit, _): return size.target.map(ResultSize.target)
    case (.fill, .sides(let width?, let height?)): return .target(.fill(width: width, height: height))
    case (.exact, .sides(let width?, let height?)): return .target(.exact(width: width, height: height))
    default: return nil
    }
  }
}

/// The size of results.
enum ResultSize {
  case target(TargetSize)
  /// A share of each image's own size.
  case share(Double, enlarges: Bool)

  /// The size for an image of a size.
  func target(for source: PixelSize) -> TargetSize {
    switch self {
    case .target(let target): return target
    case .share(let share, let enlarges):
      let sides = [source.width, source.height].map { max(1, Int((Double($0) * share).rounded())) }
      return enlarges ? .exact(width: sides[0], height: sides[1]) : .fit(width: sides[0], height: sides[1])
    }
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
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
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
