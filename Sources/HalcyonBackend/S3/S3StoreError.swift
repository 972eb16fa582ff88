public import HalcyonSupport

/// Why a call of an ``S3Store`` failed; a transport adds its own errors.
@nonexhaustive
public enum S3StoreError: Error, Hashable {
  /// The storage refused a request with this code, such as `AccessDenied` or `NoSuchBucket`; empty if the response has
  /// none.
  case refused(status: Int, code: String)
  /// The list of keys is incomplete or not valid, or has no end.
  case malformedList
  /// The metadata of the entry is too large to be stored.
  case metadataTooLarge
  /// The entry was replaced by others again and again while its metadata was to be replaced.
  case conflict
}

extension S3StoreError: DescribedError {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .refused(let status, let code):
      """
      The storage responded with HTTP \(status)\(code.isEmpty ? "" : " (\(code.printable))"). \
      \(Self.advice(status: status, code: code))
      """
    case .malformedList:
      "The storage's list of keys is incomplete or not valid. Check that the endpoint is S3-compatible storage, and try again."
    case .metadataTooLarge: "The metadata of the entry is over 64 KiB. Shorten its tags, userInfo or URL."
    case .conflict: "The entry was replaced by other clients meanwhile. Try again."
    }
  }

  private static func advice(status: Int, code: String) -> String {
    switch code {
    case "NoSuchBucket": return "The bucket does not exist at this endpoint: create it, or correct its name."
    case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
      return "The credentials are wrong: correct the access key and the secret key."
    case "RequestTimeTooSkewed": return "The clock of this machine is wrong: set it."
    case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException":
      return "The bucket is in another region: correct the region and the endpoint."
    case "AccessDenied": return "The credentials lack a permission: get, put, delete and list are needed."
    default:
      if (300..<400).contains(status) { return "The bucket is in another region: correct the region and the endpoint." }
      return "Check the bucket, the credentials and their permissions: get, put, delete and list."
    }
  }
}

extension S3StoreError: StoreError {
  var isFaultOfStore: Bool {
    switch self {
    case .refused, .malformedList: true
    case .metadataTooLarge, .conflict: false
    }
  }
}
