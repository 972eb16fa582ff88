import CZimg

/// Why zimg did not resample.
enum ResamplingError: Error, Hashable {
  case outOfMemory
  /// A callback gave up; it knows why.
  case stopped
  case failed(String)

  /// The last error of zimg on this thread.
  static var last: ResamplingError {
    var message = [CChar](repeating: 0, count: 256)
    let code = zimg_get_last_error(&message, message.count - 1)
    zimg_clear_last_error()
    switch code {
    case ZIMG_ERROR_OUT_OF_MEMORY: return .outOfMemory
    case ZIMG_ERROR_USER_CALLBACK_FAILED: return .stopped
    default:
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      return .failed(String(decoding: text, as: UTF8.self))
    }
  }
}
