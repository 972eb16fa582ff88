import Foundation
import Halcyon
import HalcyonBackend
import HalcyonCache
import HalcyonCodecs
import Logging
import NIOPosix

/// What a service reads and checks at its start.
extension ImageService {
  /// The decoder that draws by a program, which has drawn something.
  static func drawing(
    by program: URL, _ arguments: [String], _ logger: Logger
  ) async throws(ConfigurationError) -> IsolatedSVGDecoder {
    do {
      let (decoder, isConfined) = try await NIOThreadPool.singleton.runIfActive {
        var decoder = IsolatedSVGDecoder(helper: program, arguments: arguments)
        let isConfined = try decoder.checkHelper()
        return (decoder, isConfined)
      }
      if !isConfined {
        logger.warning("The system does not confine the process that draws SVG, which can read the files of this user")
      }
      return decoder
    } catch {
      throw .unusableProgram(program.path, reason: "\(error)")
    }
  }

  /// Reads the image of a setting; `nil` if there is none.
  static func reading<Image>(
    _ setting: String, _ file: URL?, _ read: (URL) async throws -> Image
  ) async throws(ConfigurationError) -> Image? {
    guard let file else { return nil }
    do {
      return try await read(file)
    } catch {
      let path = file.isFileURL ? file.path : file.absoluteString.excerpt
      throw .unusableFile(setting: setting, path: path, reason: "\(error)")
    }
  }

  /// Logs a bucket that cannot be used. The service starts meanwhile, and works without it.
  static func checkBuckets(of tiers: [TieredStore.Tier], _ logger: Logger) async {
    for tier in tiers {
      guard let store = tier.store as? S3Store else { continue }
      do {
        try await store.checkBucket()
      } catch {
        if Task.isCancelled { return }
        logger.warning(
          "The bucket of results cannot be used",
          metadata: ["tier": "\(tier.name)", "bucket": "\(store.bucket)", "error": "\(error)"])
      }
    }
  }
}
