package import HalcyonHTTP
package import Foundation

extension EntryMetadata {
  /// A redirect that led to a stored response.
  package struct Redirect: Hashable, Sendable {
    /// The status code: 301, 302, 303, 307 or 308.
    package var status: Int
    /// `Location`, and the header fields that decide how long the redirect is fresh.
    package var headers: HTTPHeaders
    /// When the request was sent.
    package var requestDate: Date
    /// When the redirect was received.
    package var responseDate: Date

    /// Creates a redirect.
    package init(status: Int, headers: HTTPHeaders, requestDate: Date, responseDate: Date) {
      self.status = status
      self.headers = headers
      self.requestDate = requestDate
      self.responseDate = responseDate
    }
  }

  /// The fields `Vary` of the response and of the redirects that led to it.
  var vary: HTTPHeaders {
    var vary = redirects.vary
    if let value = headers["Vary"] { vary.add(name: "Vary", value: value) }
    return vary
  }
}

extension [EntryMetadata.Redirect] {
  /// The fields `Vary` of all.
  var vary: HTTPHeaders {
    var vary = HTTPHeaders()
    for redirect in self {
      if let value = redirect.headers["Vary"] { vary.add(name: "Vary", value: value) }
    }
    return vary
  }
}

extension EntryMetadata.Redirect {
  private static let storedFields = ["Age", "Cache-Control", "Date", "Expires", "Location", "Pragma", "Vary"]

  /// The redirect with the header fields that are stored.
  var withStoredFields: Self {
    var redirect = self
    redirect.headers = headers.filter { field in
      Self.storedFields.contains { field.name.isEqualIgnoringCase(to: $0) }
    }
    return redirect
  }
}
