public import HalcyonHTTP
public import HalcyonPipeline

extension S3Storage: RequestModifier {
  /// The identifier of the key that signs, so that images of other users are not shared; `nil` without credentials.
  public var identity: String? { credentials.map { "s3 \($0.accessKeyID)" } }

  /// Signs requests to the storage, and leaves others as they are.
  public func modify(_ request: TransportRequest) -> TransportRequest { signed(request) }
}
