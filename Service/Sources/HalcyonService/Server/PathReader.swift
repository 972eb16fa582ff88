import Foundation
@_spi(Programs) import HalcyonProcessing

/// Reads the paths of requests: checks their signatures, and rewrites their sources.
struct PathReader: Sendable {
  private let configuration: ServiceConfiguration
  private let signer: URLSigner

  init(_ configuration: ServiceConfiguration) {
    self.configuration = configuration
    signer = URLSigner(pairs: configuration.keyPairs, byteCount: configuration.signatureByteCount)
  }

  /// The parts of a path whose signature is valid, with the source after rewriting.
  ///
  /// - Parameter isInfo: Whether it may have no options, also where only presets are accepted.
  func imagePath(_ path: String, isInfo: Bool = false) throws -> ImagePath {
    let signed = try signedPath(path)
    let segments = signed.parts(between: "/").dropFirst(2)
    let hasOptions = !isInfo || segments.first != "plain" && segments.count > 1
    var path = try ImagePath(
      signed, hasPresetsOnly: configuration.acceptsPresetsOnly && hasOptions,
      hasFilename: configuration.hasFilenamesInBase64, encryptionKey: configuration.sourceEncryptionKey)
    path.source = configuration.sourceRewriting.applied(to: path.source)
    return path
  }

  /// The path as it was signed, from a path that a proxy may have rewritten. Its signature, the first segment, is
  /// checked before the rest is parsed.
  private func signedPath(_ path: String) throws(ServiceError) -> String {
    guard let (signature, rest) = ImagePath.signature(in: path) else { return path }
    if configuration.isInsecure || configuration.trustedSignatures.contains(signature) {
      // Otherwise the option would have no effect.
      if configuration.isInsecure, Self.isOption(signature) { throw .signatureMissing }
      return "/\(signature)\(RestoredPath.likely(rest))"
    }
    guard let signed = RestoredPath.candidates(rest).first(where: { signer.isValid(signature, for: $0) }) else {
      throw .invalidSignature
    }
    return "/\(signature)\(signed)"
  }

  /// Whether a segment is an option with an argument.
  private static func isOption(_ segment: String) -> Bool {
    let parts = (segment.removingPercentEncoding ?? segment).parts(between: ":")
    return parts.count > 1 && OptionParser.isOption(parts[0])
  }
}
