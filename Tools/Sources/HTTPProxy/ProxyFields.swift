import HTTPTypes
import Halcyon

/// The fields of a request on its way through the proxy.
struct ProxyFields {
  private let all: HTTPHeaders

  init(_ fields: HTTPFields) {
    var all = HTTPHeaders()
    for field in fields { all.add(name: field.name.rawName, value: field.value) }
    self.all = all
  }

  subscript(name: String) -> String? { all[name] }

  /// All that is sent on to the server.
  var forwarded: HTTPHeaders {
    var headers = all.endToEnd.filter { !["host", "expect", "content-length"].contains($0.name.lowercased()) }
    headers.add(name: "Via", value: "1.1 halcyon")
    return headers
  }

  /// What the cache asks the server with: not the questions that the proxy answers itself.
  var cacheable: HTTPHeaders {
    forwarded.filter { !["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
  }

  /// The questions that a stored answer can answer.
  var conditions: HTTPHeaders {
    all.filter { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
  }

  /// Whether the request asks what only its server can answer.
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
