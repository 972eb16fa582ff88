#if Logging
import Foundation
import Halcyon

extension ImageSource {
  /// The URL without what may be secret, or the kind of another source.
  var loggedText: String {
    switch kind {
    case .url(let url), .keyed(let url, _): url.loggedText
    case .string(let text): URL(string: text)?.loggedText ?? "not a valid URL"
    case .data: "data"
    case .provider: "provider"
    case .decoded: "decoded image"
    case .resolver: "resolver"
    case .rejected(let source, _): source.loggedText
    @unknown default: "other"
    }
  }
}

extension URL {
  /// The URL without credentials, query and fragment; a `data` URL without its content.
  var loggedText: String {
    if scheme?.lowercased() == "data" { return "data" }
    guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "not a valid URL" }
    (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
    return components.string ?? "not a valid URL"
  }
}
#endif
