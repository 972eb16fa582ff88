public import HalcyonHTTP
import HalcyonSupport
public import Foundation

/// Requests other than a plain GET, for example to a service that renders the image described by a JSON body.
///
/// Such a request is sent each time, unless it sets ``RequestOptions/memoryAccess`` or ``RequestOptions/storeAccess``
/// itself. Its image is then cached under a key with the method and a hash of the body, and is fresh as long as the
/// response to a GET would be; when it is stale, the request is sent again as it is, without validators. Equal requests
/// in flight share one transfer.
///
/// Interrupted downloads are not resumed, failures are not remembered, and a request whose method is not idempotent
/// (``HTTPMethod/isIdempotent``) is not retried. Redirects with status 301, 302 and 303 turn POST into GET, those with
/// 307 and 308 keep the method and the body (RFC 9110, 15.4).
extension ImageRequest {
  /// The HTTP method, for `http` and `https` sources. Default: GET.
  public var method: HTTPMethod {
    get { optionsBox?.content?.method ?? .get }
    set { setContent(.make(newValue, body)) }
  }

  /// The body that is sent, for `http` and `https` sources. Default: `nil`, none.
  ///
  /// Its `Content-Type` is `application/octet-stream` unless ``headers`` has another.
  public var body: Data? {
    get { optionsBox?.content?.body }
    set { setContent(.make(method, newValue)) }
  }

  private mutating func setContent(_ content: RequestContent?) {
    guard content != nil || optionsBox != nil else { return }
    optionsBox = OptionsBox(
      options, policyValue: optionsBox?.policyValue, content: content,
      bodyHash: content?.body.map { KeyDigest($0).hexadecimal })
  }
}
