import Foundation
import HalcyonSupport

/// Reads a file that the caller names.
enum LocalFile {
  /// The whole file, read on a worker.
  static func read(
    path: String, url: URL, byteLimit: Int, on workers: WorkerPool
  ) async throws(ImageError) -> Data {
    do {
      return try await workers.run { _ in try contents(path: path, url: url, byteLimit: byteLimit) }
    } catch let error as ImageError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  private static func contents(path: String, url: URL, byteLimit: Int) throws(ImageError) -> Data {
    do {
      return try Data(wholeFile: url, byteLimit: byteLimit)
    } catch {
      switch error {
      case .unreadable(let code): throw .unreadableFile(path: path, code: code)
      case .tooLarge: throw .responseTooLarge(byteLimit: byteLimit, url: url)
      }
    }
  }
}
