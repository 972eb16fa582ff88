import ArgumentParser
import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonProcessing

/// How an image gets a size, by name.
enum ResizeArgument: String, ExpressibleByArgument, CaseIterable {
  case fit, fill, exact

  /// Whether a size has what this needs.
  func accepts(_ size: SizeArgument) -> Bool {
    switch (self, size) {
    case (.fit, _), (.exact, .percent), (_, .sides(_?, _?)): true
    default: false
    }
  }

  /// Sets the size of the result for a source.
  func set(_ size: SizeArgument, of source: PixelSize, in options: inout ProcessingOptions) {
    options.resizingType = [.fit: .fit, .fill: .fillDown, .exact: .force][self] ?? .fit
    options.enlarge = self == .exact
    switch size {
    case .sides(let width, let height): (options.width, options.height) = (width ?? 0, height ?? 0)
    case .longestSide(let side): (options.width, options.height) = (side, side)
    case .percent(let percent):
      let share = (self == .exact ? percent : min(percent, 100)) / 100
      options.width = max(1, Int((Double(source.width) * share).rounded()))
      options.height = max(1, Int((Double(source.height) * share).rounded()))
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
  case noPlace = "no-place"

  var policy: MetadataPolicy {
    switch self {
    case .strip: .strip
    case .copyright: .copyright
    case .keep, .noPlace: .keep
    }
  }
}
