import Foundation

/// Why a source is not fetched.
public enum SourceError: Error, Hashable {
  /// The text is not a URL of a scheme that the service fetches.
  case malformed
  /// The list of allowed sources does not contain it.
  case notAllowed
  /// The service has no folder for `local:///` URLs.
  case noLocalFolder
  /// The service has no storage for `s3://` URLs.
  case noStorage
  /// There is no such file in the folder, or it is no regular file.
  case noSuchFile
  /// The file cannot be read now, for example because the process has no file descriptors left.
  case unreadable
  /// The keys of the storage cannot be renewed.
  case noCredentials
  /// Too many images wait for the host of the source, or for a decoder.
  case tooManyWaiting
  /// The source has not responded in time.
  case timedOut
}

extension SourceError: CustomStringConvertible {
  /// What is wrong; it does not repeat the URL, which a client need not see.
  public var description: String {
    switch self {
    case .malformed: "The path has no valid source. Use an http, https, s3:// or local:/// URL."
    case .notAllowed: "The service is not configured to fetch this source."
    case .noLocalFolder: "The service has no folder of local files."
    case .noStorage: "The service has no S3-compatible storage."
    case .noSuchFile: "There is no such file."
    case .unreadable: "The file cannot be read now. Try again later."
    case .noCredentials: "The service has no valid keys for this storage now. Try again later."
    case .tooManyWaiting: "Too many requests are waiting. Try again later."
    case .timedOut: "The source did not respond in time."
    }
  }
}

extension SourceError {
  /// Why a file or a folder cannot be opened: it does not exist for this process, or cannot be read now.
  init(opening code: Int32) {
    switch code {
    case ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, ENXIO, ENODEV, ENAMETOOLONG, EINVAL, EILSEQ: self = .noSuchFile
    default: self = .unreadable
    }
  }
}
