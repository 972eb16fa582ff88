import Foundation
import Halcyon
import HalcyonImaging

/// The output of `halcyon info` for one image; unknown properties are `null` in JSON.
struct InfoReport {
  let path: String
  var format: String?
  var width: Int?
  var height: Int?
  var frames: Int?
  var orientation: Int?
  var color: String?
  var bitDepth: Int?
  var alpha: Bool?
  var profile: Bool?
  var profileName: String?
  var colorSpace: String?
  /// `sRGB`, or `wide` for more colours.
  var gamut: String?
  /// `SDR`, or the transfer function of high dynamic range, `PQ` or `HLG`.
  var transfer: String?
  /// `standard`, `PQ`, `HLG` or `gain map`.
  var dynamicRange: String?
  /// How far above white a gain map reaches, in stops.
  var headroom: Double?
  var camera: String?
  var lens: String?
  /// `1/250 s, f/2.8, ISO 400, 50 mm`, or a part of it.
  var exposure: String?
  var captureDate: String?
  /// Whether the file says where the photograph was taken.
  var place: Bool?
  var copyright: String?
  var progressive: Bool?
  var seconds: Double?
  /// The placeholder in base64, if it was asked for.
  var thumbHash: String?
  /// Whether pixels may be wrong, as the data is damaged; known after decoding.
  var damaged: Bool?
  var milliseconds: Double?
  var peakBytes: Int?
  var error: String?

  init(path: String) {
    self.path = path
  }

  mutating func add(_ metadata: ImageMetadata) {
    let info = metadata.info
    profileName = metadata.colorProfileName
    colorSpace = metadata.colorSpace
    gamut = metadata.hasWideGamut ? "wide" : "sRGB"
    transfer = metadata.transferFunction ?? "SDR"
    (dynamicRange, headroom) = ("\(info.dynamicRange)", nil)
    if case .gainMap(_, let stops) = info.dynamicRange { (dynamicRange, headroom) = ("gain map", stops) }
    camera = metadata.camera
    (lens, exposure) = (metadata.lens, metadata.exposure)
    captureDate = metadata.captureTime
    place = metadata.hasLocation
    copyright = metadata.copyright
    progressive = metadata.isProgressive
    seconds = metadata.duration.map { (Double($0 / .milliseconds(1)) / 1000) }
    format = info.format.rawValue
    (width, height) = (info.pixelSize.width, info.pixelSize.height)
    frames = info.frameCount
    orientation = info.orientation.rawValue
    color = info.colorModel.rawValue
    bitDepth = info.bitDepth
    alpha = info.hasAlpha
    profile = info.hasColorProfile
  }

  var fields: [String: (any Encodable)?] {
    Mirror(reflecting: self).children.reduce(into: [:]) { fields, child in
      if let name = child.label { fields[name] = child.value as? any Encodable }
    }
  }

  /// The report as a line of text.
  var line: String {
    guard let format, let width, let height else {
      let reason = error ?? "unknown"
      // Most errors name the path or the URL.
      return path.isEmpty || reason.contains(path) ? reason : "\(path): \(reason)"
    }
    var parts = ["\(format) \(width)x\(height)", "\(bitDepth ?? 8)-bit \(color ?? "")"]
    if alpha == true { parts.append("with alpha") }
    if let orientation, orientation != 1 { parts.append("orientation \(orientation)") }
    if profile == true { parts.append(profileName.map { "ICC profile \($0)" } ?? "ICC profile") }
    if profile != true, let colorSpace { parts.append(colorSpace) }
    if gamut == "wide" { parts.append("wide gamut") }
    if let transfer, transfer != "SDR" { parts.append(transfer) }
    if dynamicRange == "gain map" {
      parts.append("gain map" + (headroom.map { " of \(($0 * 10).rounded() / 10) stops" } ?? ""))
    }
    if progressive == true { parts.append("progressive") }
    if let frames, frames > 1 { parts.append("\(frames) frames") }
    if let seconds { parts.append("\(seconds) s") }
    if let camera { parts.append(camera) }
    if let lens { parts.append(lens) }
    if let exposure { parts.append(exposure) }
    if let captureDate { parts.append(captureDate) }
    if place == true { parts.append("with a place") }
    if let copyright { parts.append(copyright) }
    if let thumbHash { parts.append("ThumbHash \(thumbHash)") }
    if damaged == true { parts.append("damaged") }
    if let milliseconds { parts.append("\(milliseconds) ms") }
    if let peakBytes {
      parts.append("peak " + ByteCountFormatter.string(fromByteCount: Int64(peakBytes), countStyle: .memory))
    }
    if let error { parts.append(error) }
    return "\(path): " + parts.joined(separator: ", ")
  }
}
