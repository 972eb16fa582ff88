import Foundation
import HalcyonTestSupport

@testable import HalcyonService

/// Computes the signature that a request to S3-compatible storage has to have (AWS Signature Version 4).
struct SignatureCheck {
  let secretAccessKey: String
  let region: String

  /// Whether the signature in the `Authorization` of a request signs its other parts.
  func isValid(_ request: RecordedRequest) -> Bool {
    guard let field = request.headers["Authorization"], let date = request.headers["X-Amz-Date"],
      let credential = value("Credential", in: field), let names = value("SignedHeaders", in: field),
      let signature = value("Signature", in: field), names.split(separator: ";").contains("host")
    else { return false }
    let scope = credential.split(separator: "/").dropFirst().joined(separator: "/")
    let isComplete = names.split(separator: ";").allSatisfy { request.headers[String($0)] != nil }
    guard isComplete, scope == "\(date.prefix(8))/\(region)/s3/aws4_request" else { return false }
    let headers = names.split(separator: ";").map { name in
      "\(name):\((request.headers[String(name)] ?? "").trimmingCharacters(in: .whitespaces))\n"
    }
    guard let body = request.headers["X-Amz-Content-Sha256"],
      body == "UNSIGNED-PAYLOAD" && request.method != "GET" || body == hexadecimal(SHA256.hash(request.body))
    else { return false }
    // The fields of a query are sent as they are signed.
    let target = request.path.split(separator: "?", maxSplits: 1).map(String.init)
    let canonical = [request.method, target[0], target.count > 1 ? target[1] : "", headers.joined(), names, body]
      .joined(separator: "\n")
    let text = ["AWS4-HMAC-SHA256", date, scope, hexadecimal(SHA256.hash(Data(canonical.utf8)))]
      .joined(separator: "\n")
    var key = Data("AWS4\(secretAccessKey)".utf8)
    for part in [String(date.prefix(8)), region, "s3", "aws4_request", text] {
      key = SHA256.authenticationCode(of: Data(part.utf8), key: key)
    }
    return hexadecimal(key) == signature
  }

  private func value(_ name: String, in field: String) -> String? {
    field.split { $0 == " " || $0 == "," }.first { $0.hasPrefix(name + "=") }.map {
      String($0.dropFirst(name.count + 1))
    }
  }

  private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
