import Foundation
import Halcyon
import HalcyonImaging
import PeerShim

/// The images to decode.
enum Corpus {
  private static let sources = ["/usr/share/backgrounds/mate", "/usr/share/backgrounds/gnome"]
  private static let folder = URL(filePath: ".build-downsample/corpus")
  /// The file extension, libvips options, and the maximum number of images: some encoders take seconds for each.
  private static let kinds: [(name: String, options: String, countLimit: Int)] = [
    ("baseline.jpg", "[Q=85,strip]", .max), ("progressive.jpg", "[Q=85,interlace,strip]", .max),
    ("png", "[strip]", 12), ("webp", "[Q=80,strip]", 12), ("avif", "[Q=60,effort=2,strip]", 8),
    ("heic", "[Q=60,effort=2,strip]", 8),
  ]
  private static let memoryFolder = URL(filePath: ".build-downsample/12mp")
  /// The pixel counts to which the largest photographs are also scaled.
  private static let smallerPixelCounts = [12e6, 6e6, 3e6, 1e6]

  /// All images in a folder, recursively.
  static func files(in folder: URL) throws -> [CorpusFile] {
    let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let urls = (paths?.compactMap { $0 as? URL } ?? []).sorted { $0.path < $1.path }
    return urls.compactMap { CorpusFile($0) }
  }

  /// Debian's wallpapers in every format; converted on the first run.
  static func wallpapers() throws -> [CorpusFile] {
    let photos = try sources.flatMap { try files(in: URL(filePath: $0)) }.filter { $0.pixelCount >= 1_000_000 }
    guard photos.count >= 20 else {
      throw PeerError.failed("The packages mate-backgrounds and gnome-backgrounds are not installed.")
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for kind in kinds {
      let chosen = photos.filter { kind.name.hasSuffix("jpg") ? $0.format == .jpeg : true }
      for photo in chosen.spread(kind.countLimit) {
        try convert(photo, to: kind.name, kind.options, pixelCount: .infinity)
      }
      for pixelCount in smallerPixelCounts where kind.name.hasSuffix("jpg") {
        for photo in chosen where photo.pixelCount > 8_000_000 && Double(photo.pixelCount) > pixelCount {
          try convert(photo, to: kind.name, kind.options, pixelCount: pixelCount)
        }
      }
    }
    return try files(in: folder)
  }

  /// One wallpaper of 12 megapixels in every format.
  static func twelveMegapixels() throws -> [CorpusFile] {
    let photos = try sources.flatMap { try files(in: URL(filePath: $0)) }.filter { $0.format == .jpeg }
    guard let largest = photos.max(by: { $0.pixelCount < $1.pixelCount }) else { return [] }
    try FileManager.default.createDirectory(at: memoryFolder, withIntermediateDirectories: true)
    for kind in kinds { try convert(largest, to: kind.name, kind.options, pixelCount: 12e6, folder: memoryFolder) }
    return try files(in: memoryFolder)
  }

  private static func convert(
    _ photo: CorpusFile, to kind: String, _ options: String, pixelCount: Double, folder: URL = folder
  ) throws {
    let size = pixelCount.isFinite ? "-\(Int(pixelCount / 1e6))mp" : ""
    let target = folder.appending(path: "\(photo.url.deletingPathExtension().lastPathComponent)\(size).\(kind)")
    guard !FileManager.default.fileExists(atPath: target.path) else { return }
    guard peer_convert(photo.url.path, target.path + options, pixelCount) else {
      throw PeerError.failed("libvips cannot write \(target.path): \(String(cString: peer_message()))")
    }
  }
}

extension Array {
  /// At most `limit` elements, evenly distributed over the array.
  fileprivate func spread(_ limit: Int) -> [Element] {
    count <= limit ? self : (0..<limit).map { self[$0 * count / limit] }
  }
}

/// A still image that this build can decode.
struct CorpusFile {
  let url: URL
  let format: ImageFormat
  let info: ImageInfo
  /// Whether it is a progressive JPEG.
  let isProgressive: Bool
  let decoder: any ImageDecoder
  let bytes: Data

  var pixelCount: Int { info.storedSize.pixelCount }
  var name: String { url.lastPathComponent }

  /// The format; for JPEG with `_baseline` or `_progressive`.
  var kind: String {
    format == .jpeg ? "jpeg_" + (isProgressive ? "progressive" : "baseline") : format.rawValue
  }

  /// `nil` when this build cannot decode the file; prints a message if the file is an image.
  init?(_ url: URL) {
    guard let bytes = try? Data(contentsOf: url), let format = ImageFormat(sniffing: bytes) else { return nil }
    guard let decoder = try? StandardCodecs.decoder(for: format) else {
      print("skipped \(url.lastPathComponent): this build does not read \(format.rawValue)")
      return nil
    }
    guard let info = try? decoder.probe(bytes, isComplete: true), info.frameCount == 1 else {
      print("skipped \(url.lastPathComponent): it is animated or cannot be decoded")
      return nil
    }
    self.url = url
    self.format = format
    self.info = info
    self.decoder = decoder
    self.bytes = bytes
    isProgressive = format == .jpeg && bytes.firstRange(of: Data([0xFF, 0xC2, 0x00])) != nil
  }
}
