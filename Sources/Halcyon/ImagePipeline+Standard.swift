public import HalcyonHTTP
public import HalcyonPipeline
import HalcyonCache
import HalcyonCodecs
import HalcyonTransport

extension ImagePipeline {
  /// Creates a pipeline with the standard configuration, changed by a closure.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline { $0.options.timeout = .seconds(20) }
  /// ```
  ///
  /// - Parameters:
  ///   - addressPolicy: The addresses that the transport may connect to. On Apple's platforms no load succeeds with
  ///     another policy than ``AddressPolicy/any``, since their transport cannot check addresses: all fail with
  ///     ``TransportError/addressPolicyUnsupported``.
  ///   - configure: Changes the configuration.
  public convenience init(
    addressPolicy: AddressPolicy = .any, _ configure: (inout PipelineConfiguration) -> Void = { _ in }
  ) {
    var configuration = PipelineConfiguration(addressPolicy: addressPolicy)
    configure(&configuration)
    self.init(configuration: configuration)
  }
}

extension PipelineConfiguration {
  /// The transport of this platform, shared by all pipelines that are created without one.
  private static let sharedTransport = transport(enforcing: .any)

  /// Creates the standard configuration: the transport of this platform, `URLSessionTransport` or `CurlTransport`, all codecs
  /// of this build, and a memory cache and a disk cache in the default folder of this program.
  public init() { self.init(addressPolicy: .any) }

  fileprivate init(addressPolicy: AddressPolicy) {
    self.init(
      transport: addressPolicy == .any ? Self.sharedTransport : Self.transport(enforcing: addressPolicy),
      decoders: StandardCodecs.decoders, encoders: StandardCodecs.encoders, cache: ImageCache())
    #if canImport(Network)
    NetworkPath.start()
    prefersLowData = { NetworkPath.isConstrained }
    #endif
  }

  package static func transport(enforcing policy: AddressPolicy) -> any Transport {
    #if URLSESSION
    do {
      return try URLSessionTransport(addressPolicy: policy)
    } catch {
      return RefusingTransport(addressPolicy: policy, error: error)
    }
    #else
    return CurlTransport(configuration: CurlTransport.Configuration(addressPolicy: policy))
    #endif
  }
}

#if URLSESSION
/// Sends nothing, where a policy cannot be enforced.
private struct RefusingTransport: Transport {
  let addressPolicy: AddressPolicy
  let error: TransportError

  func response(to request: TransportRequest) async throws -> TransportResponse { throw error }
}
#endif
