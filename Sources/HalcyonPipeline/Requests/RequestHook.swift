public import Foundation
public import HalcyonHTTP
public import HalcyonImaging
import HalcyonSupport
import Synchronization

/// A closure or object of the caller in the options of a request. Copies of the request share its identity, so that equal
/// requests share loads; hooks that were set separately are different, even if they do the same.
struct RequestHook<Value: Sendable>: Sendable {
  let value: Value
  let id: UInt64

  init(_ value: Value) {
    self.value = value
    id = hookCount.add(1, ordering: .relaxed).newValue
  }
}

/// The transport of a request, and the value of cache keys for its address policy, made once.
struct TransportHook: Sendable {
  let hook: RequestHook<any Transport>
  let policyValue: String?

  init(_ transport: any Transport) {
    hook = RequestHook(transport)
    policyValue = transport.addressPolicy.keyValue
  }
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

private let hookCount = Atomic<UInt64>(0)

extension RequestOptions {
  /// A closure for ``redirectHandler``.
  public typealias RedirectHandler = @Sendable (URL, TransportRequest) async throws -> TransportRequest?
  /// A closure for ``responseValidator``.
  public typealias ResponseValidator = @Sendable (ResponseHead) async throws -> Void
  /// A closure for ``streamTransform``.
  public typealias StreamTransformMaker = @Sendable (ResponseHead) throws -> any StreamTransform
  /// A closure for ``dataTransform``.
  public typealias DataTransform = @Sendable (Data, ResponseHead) async throws -> Data

  /// Whether and when failed transfers are retried. Default: ``PipelineConfiguration/retryStrategy``.
  ///
  /// Like all hooks (``requestModifier``, ``redirectHandler``, ``responseValidator``, ``streamTransform``,
  /// ``dataTransform``, ``transport``) it is shared by the copies of a request. Requests whose hooks were set separately
  /// share no transfers, but all cached images.
  public var retryStrategy: (any RetryStrategy)? {
    get { retryHook?.value }
    set { retryHook = newValue.map { RequestHook($0) } }
  }

  /// Modifies the HTTP request before it is sent, and renews credentials. Default:
  /// ``PipelineConfiguration/requestModifier``.
  public var requestModifier: (any RequestModifier)? {
    get { modifierHook?.value }
    set { modifierHook = newValue.map { RequestHook($0) } }
  }

  /// Called before a redirect is followed. Default: ``PipelineConfiguration/redirectHandler``.
  public var redirectHandler: RedirectHandler? {
    get { redirectHook?.value }
    set { redirectHook = newValue.map { RequestHook($0) } }
  }

  /// Called with the head of a successful response. Default: ``PipelineConfiguration/responseValidator``.
  public var responseValidator: ResponseValidator? {
    get { validatorHook?.value }
    set { validatorHook = newValue.map { RequestHook($0) } }
  }

  /// Changes the body of a successful response piece by piece while it arrives, for example to decrypt it. Default: none.
  ///
  /// Called with the head of each response whose body is read, and returns the transform of that body; errors of both fail
  /// the load with ``ImageError/responseRejected(cause:url:)``. What the transform returns is inspected as it arrives, so that
  /// previews and early errors work as for plain images; it is stored and decoded. ``PipelineConfiguration/limits`` apply
  /// to the transferred and to the returned bytes, and progress counts the transferred ones. An interrupted transfer
  /// starts over, since the state of the transform is lost.
  public var streamTransform: StreamTransformMaker? {
    get { streamTransformHook?.value }
    set { streamTransformHook = newValue.map { RequestHook($0) } }
  }

  /// Changes the whole body of a successful response before it is inspected, stored and decoded. Default: none.
  ///
  /// Called with the whole body, after ``streamTransform``, and the head of the response; errors fail the load with
  /// ``ImageError/responseRejected(cause:url:)``. The store keeps the result, not the transferred bytes. Previews and
  /// the format are not known before the transfer has ended.
  public var dataTransform: DataTransform? {
    get { transformHook?.value }
    set { transformHook = newValue.map { RequestHook($0) } }
  }

  /// Transfers the request and its response. Default: ``PipelineConfiguration/transport``.
  ///
  /// The address policy of this transport applies, and not that of the pipeline: the request shares cached images only
  /// with requests under an equal policy. The limits of the pipeline on connections apply all the same.
  public var transport: (any Transport)? {
    get { transportHook?.hook.value }
    set { transportHook = newValue.map { TransportHook($0) } }
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
  var hookIDs: [UInt64?]? {
    let ids = [
      retryHook?.id, modifierHook?.id, redirectHook?.id, validatorHook?.id, streamTransformHook?.id,
      transformHook?.id, transportHook?.hook.id,
    ]
    return ids.contains { $0 != nil } ? ids : nil
  }
}
