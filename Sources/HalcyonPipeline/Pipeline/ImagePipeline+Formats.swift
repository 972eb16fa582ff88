public import HalcyonImaging

extension ImagePipeline {
  /// The formats that the pipeline can decode and encode.
  public var supportedFormats: SupportedFormats {
    SupportedFormats(decoders: configuration.decoders, encoders: configuration.encoders)
  }
}
