import Foundation

/// Medians for one file at one width, in milliseconds.
struct TimeResult: CustomStringConvertible {
  let file: CorpusFile
  let width: Int
  let own: Double
  let peer: Double
  let entropy: Double?
  let similarity: Double?
  let peerSimilarity: Double?

  var ratio: Double { own / peer }

  var similarityDifference: Double? {
    guard let similarity, let peerSimilarity else { return nil }
    return similarity - peerSimilarity
  }

  var description: String {
    let megapixels = String(format: "%.1f", Double(file.pixelCount) / 1e6)
    let times = String(format: "%.1f ms, libvips %.1f ms, ratio %.2f", own, peer, ratio)
    let floor = entropy.map { String(format: ", entropy %.1f ms", $0) } ?? ""
    let quality = similarity.map { String(format: ", SSIM %.4f, libvips %.4f", $0, peerSimilarity ?? .nan) } ?? ""
    return "\(file.name) \(megapixels) MP to \(width): \(times)\(floor)\(quality)"
  }
}
