import HTTPTypes
import Halcyon
import HalcyonCache

/// The header fields of a request that passes through the proxy.
struct ProxyFields {
  private let all: HTTPHeaders

  init(_ fields: HTTPFields) {
    var all = HTTPHeaders()
    for field in fields { all.add(name: field.name.rawName, value: field.value) }
    self.all = all
  }

  subscript(name: String) -> String? { all[name] }

  /// The fields forwarded to the origin.
  var forwarded: HTTPHeaders {
    var headers = HTTPCache.endToEnd(all).filter {
      !["host", "expect", "content-length"].contains($0.name.lowercased())
    }
    headers.add(name: "Via", value: "1.1 halcyon")
    return headers
  }

  /// The fields of the cache's own requests: those forwarded, without the client's conditions, which the proxy evaluates.
  var cacheable: HTTPHeaders {
    forwarded.filter { !["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
  }

  /// The conditions that can be evaluated against a stored response.
  var conditions: HTTPHeaders {
    all.filter { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
  }

  /// Whether only the origin can handle the request: it has preconditions on a modification, or a body.
  var isForServerOnly: Bool {
    all["If-Match"] != nil || all["If-Unmodified-Since"] != nil || all["Transfer-Encoding"] != nil
      || all["Content-Length"].map { $0 != "0" } ?? false
  }
}

extension HTTPFields {
  init(_ headers: HTTPHeaders) {
    self.init()
    for field in headers.fields {
      guard let name = HTTPField.Name(field.name) else { continue }
      append(HTTPField(name: name, value: field.value))
    }
  }
}
