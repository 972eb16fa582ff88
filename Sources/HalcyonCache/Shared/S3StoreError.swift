import HalcyonSupport

/// Why a call of an ``S3Store`` failed; a transport adds its own errors.
@nonexhaustive
public enum S3StoreError: Error, Hashable {
  /// The storage refused a request; the code is that of its response, such as `AccessDenied` or `NoSuchBucket`.
  case refused(status: Int, code: String)
  /// The list of keys is not valid.
  case malformedList
  /// The metadata of the entry is too large to be stored.
  case metadataTooLarge
  /// The entry was replaced by others again and again while its metadata was to be replaced.
  case conflict
}

extension S3StoreError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .refused(let status, let code):
      """
      The storage responded with HTTP \(status)\(code.isEmpty ? "" : " (\(code.printable))"). Check the bucket, the \
      credentials and their permissions: get, put, delete and list.
      """
    case .malformedList: "The storage's list of keys is not valid. Check that the endpoint is S3-compatible storage."
    case .metadataTooLarge: "The metadata of the entry is over 64 KiB. Shorten its tags, userInfo or URL."
    case .conflict: "The entry was replaced by other clients meanwhile. Try again."
    }
  }
}
