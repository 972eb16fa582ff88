public import Foundation
public import HalcyonHTTP
public import HalcyonImaging
import HalcyonSupport

/// A closure or object of the caller in the options of a request, with the identity that decides whether requests share
/// loads.
struct RequestHook<Value: Sendable>: Sendable {
  let value: Value
  let identity: HookIdentity

  init(_ value: Value) {
    self.value = value
    identity = (value as? AnyHashable).map { .equal($0) } ?? .next
  }
}

/// `Hashable` hooks are the same if they are equal, all others if they are copies of one hook.
enum HookIdentity: Hashable, @unchecked Sendable {
  /// The hook itself, which is `Sendable`.
  case equal(AnyHashable)
  case copied(UInt64)

  private static let count = Atomic<UInt64>(0)

  static var next: HookIdentity { .copied(count.add(1)) }
}

/// The decoder of a request, and the hash of its identifier: properties of a decoder may be secret.
struct DecoderHook: Sendable {
  let value: any ImageDecoder
  let identity: String

  init(_ decoder: any ImageDecoder) {
    value = decoder
    identity = KeyDigest(decoder.identifier).hexadecimal
  }
}

extension RequestOptions {
  /// A closure for ``redirectHandler``.
  typealias RedirectHandler = @Sendable (URL, TransportRequest) async throws -> TransportRequest?
  /// A closure for ``responseValidator``.
  typealias ResponseValidator = @Sendable (ResponseHead) async throws -> Void
  /// A closure for ``dataTransform``.
  typealias DataTransform = @Sendable (Data, ResponseHead) async throws -> Data

  /// Whether and when failed transfers are retried. Default: ``ExponentialBackoff`` with three attempts.
  ///
  /// Like all hooks (``requestModifier``, ``redirectHandler``, ``responseValidator``, ``dataTransform``) it is shared by the
  /// copies of a request. Requests whose hooks were set separately share transfers only if the hooks are `Hashable` and
  /// equal; they share all cached images.
  public var retryStrategy: (any RetryStrategy)? {
    get { retryHook?.value }
    set { retryHook = newValue.map { RequestHook($0) } }
  }

  /// Modifies the HTTP request before it is sent, and renews credentials. Default: none.
  public var requestModifier: (any RequestModifier)? {
    get { modifierHook?.value }
    set { modifierHook = newValue.map { RequestHook($0) } }
  }

  /// Called before a redirect is followed. Default: none, all are followed.
  public var redirectHandler: (@Sendable (URL, TransportRequest) async throws -> TransportRequest?)? {
    get { redirectHook?.value }
    set { redirectHook = newValue.map { RequestHook($0) } }
  }

  /// Called with the head of a successful response. Default: none.
  public var responseValidator: (@Sendable (ResponseHead) async throws -> Void)? {
    get { validatorHook?.value }
    set { validatorHook = newValue.map { RequestHook($0) } }
  }

  /// Changes the body of a successful response before it is inspected, stored and decoded, for example decrypts it. Default:
  /// none.
  ///
  /// Called with the whole body and the head of the response; errors fail the load with
  /// ``ImageError/responseRejected(cause:url:)``. The store keeps the result, not the transferred bytes. Previews and
  /// the format are not known before the transfer has ended.
  public var dataTransform: (@Sendable (Data, ResponseHead) async throws -> Data)? {
    get { transformHook?.value }
    set { transformHook = newValue.map { RequestHook($0) } }
  }

  /// Decodes the formats that it lists, before ``PipelineConfiguration/decoders``. Default: none.
  ///
  /// Requests share decoded images, in memory and in the store, only if the ``ImageDecoder/identifier`` of their decoders
  /// is the same. Encoded bytes are shared in any case.
  public var decoder: (any ImageDecoder)? {
    get { decoderHook?.value }
    set { decoderHook = newValue.map { DecoderHook($0) } }
  }

  /// Identifies the hooks, as part of the key of a transfer; `nil` if there are none.
  var hookIDs: [HookIdentity?]? {
    let ids = [
      retryHook?.identity, modifierHook?.identity, redirectHook?.identity, validatorHook?.identity,
      transformHook?.identity,
    ]
    return ids.contains { $0 != nil } ? ids : nil
  }
}
