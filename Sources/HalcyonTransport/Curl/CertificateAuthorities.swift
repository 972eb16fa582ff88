#if canImport(CHalcyonCurlShim)
import Foundation

/// The certificate authorities to trust instead of the system's; `nil` for the system's.
struct CertificateAuthorities {
  /// A PEM file.
  let file: String?
  /// A folder of PEM files, named by OpenSSL's hashes.
  let folder: String?

  /// - Parameter environment: Has OpenSSL's variables, which a file of the configuration overrides.
  init(
    _ configuration: CurlTransport.Configuration,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let isConfigured = configuration.certificateAuthorityFile != nil
    file = configuration.certificateAuthorityFile ?? value("SSL_CERT_FILE")
    folder = isConfigured ? nil : value("SSL_CERT_DIR")
  }
}
#endif
