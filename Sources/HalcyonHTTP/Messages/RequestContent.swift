package import Foundation

/// The method and the body of a request that is not a plain GET. Behind one reference, since plain requests have neither.
package final class RequestContent: Sendable {
  package let method: HTTPMethod
  package let body: Data?

  /// `nil` for a GET without a body.
  package static func make(_ method: HTTPMethod, _ body: Data?) -> RequestContent? {
    method == .get && body == nil ? nil : RequestContent(method, body)
  }

  private init(_ method: HTTPMethod, _ body: Data?) {
    self.method = method
    self.body = body
  }
}

extension RequestContent: Hashable {
  package static func == (left: RequestContent, right: RequestContent) -> Bool {
    left === right || left.method == right.method && left.body == right.body
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    hasher.combine(body)
  }
}
