import Foundation
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

extension ImageSource: CustomStringConvertible {
  /// Identifies the source in a log: the URL without user and password, or the key.
  public var description: String {
    switch kind {
    case .url(let url): url.printable
    case .string(let text): URL.printable(text)
    case .keyed(_, let key), .data(_, let key): key.printable
    case .provider(let provider): provider.key.printable
    case .decoded(let provider): provider.key.printable
    case .resolver(let resolver): resolver.key.printable
    case .rejected(let source, _): source.description
    }
  }
}

extension ImageRequest: CustomStringConvertible {
  /// The source, the target size, the region and the processors, for example `https://example.com/a.jpg, fit 400x300, circle`.
  public var description: String {
    let size = resolved.size == .original ? nil : resolved.size.description
    return ([source.description, size, region?.description].compactMap(\.self) + processors.map(\.identifier)).joined(
      separator: ", ")
  }
}
