import Foundation
import Halcyon
import HalcyonImaging

/// What `halcyon info` tells of one image.
struct InfoReport {
  let path: String
  /// `nil` if there is an error.
  var metadata: ImageMetadata?
  /// The placeholder, if it was asked for.
  var thumbHash: ThumbHash?
  /// Whether pixels may be wrong, as the data is damaged; known after decoding.
  var isDamaged: Bool?
  var milliseconds: Double?
  var peakByteCount: Int?
  var error: String?

  private var gainMapStops: Double? {
    if case .gainMap(_, let stops) = metadata?.info.dynamicRange { stops } else { nil }
  }

  private var seconds: Double? { metadata?.duration.map { Double($0 / .milliseconds(1)) / 1000 } }

  /// The output of `--json`; unknown properties are `null`.
  var fields: [String: any Encodable] {
    let info = metadata?.info
    let range = gainMapStops == nil ? info.map { "\($0.dynamicRange)" } : "gain map"
    let gamut = metadata.map { $0.hasWideGamut ? "wide" : "sRGB" }
    let transfer = metadata.map { $0.transferFunction ?? "SDR" }
    return [
      "path": path, "format": info?.format.rawValue, "width": info?.pixelSize.width, "height": info?.pixelSize.height,
      "frames": info?.frameCount, "orientation": info?.orientation.rawValue, "color": info?.colorModel.rawValue,
      "bitDepth": info?.bitDepth, "alpha": info?.hasAlpha, "profile": info?.hasColorProfile,
      "profileName": metadata?.colorProfileName, "colorSpace": metadata?.colorSpace, "gamut": gamut,
      "transfer": transfer, "dynamicRange": range, "headroom": gainMapStops, "camera": metadata?.camera,
      "lens": metadata?.lens, "exposure": metadata?.exposure, "captureDate": metadata?.captureTime,
      "place": metadata?.hasLocation, "copyright": metadata?.copyright, "progressive": metadata?.isProgressive,
      "seconds": seconds, "thumbHash": thumbHash?.text, "damaged": isDamaged, "milliseconds": milliseconds,
      "peakBytes": peakByteCount, "error": error,
    ]
  }

  /// The report as a line of text.
  var line: String {
    guard let metadata else {
      let reason = error ?? "unknown"
      // Most errors name the path or the URL.
      return path.isEmpty || reason.contains(path) ? reason : "\(path): \(reason)"
    }
    let info = metadata.info
    var parts = ["\(info.format.rawValue) \(info.pixelSize)", "\(info.bitDepth)-bit \(info.colorModel.rawValue)"]
    if info.hasAlpha { parts.append("with alpha") }
    if info.orientation != .up { parts.append("orientation \(info.orientation.rawValue)") }
    if info.hasColorProfile {
      parts.append(metadata.colorProfileName.map { "ICC profile \($0)" } ?? "ICC profile")
    } else if let colorSpace = metadata.colorSpace {
      parts.append(colorSpace)
    }
    if metadata.hasWideGamut { parts.append("wide gamut") }
    if let transfer = metadata.transferFunction { parts.append(transfer) }
    if let gainMapStops { parts.append("gain map of \((gainMapStops * 10).rounded() / 10) stops") }
    if metadata.isProgressive { parts.append("progressive") }
    if info.frameCount > 1 { parts.append("\(info.frameCount) frames") }
    if let seconds { parts.append("\(seconds) s") }
    parts += [metadata.camera, metadata.lens, metadata.exposure, metadata.captureTime].compactMap(\.self)
    if metadata.hasLocation { parts.append("with a place") }
    if let copyright = metadata.copyright { parts.append(copyright) }
    if let thumbHash { parts.append("ThumbHash \(thumbHash.text)") }
    if isDamaged == true { parts.append("damaged") }
    if let milliseconds { parts.append("\(milliseconds) ms") }
    if let peakByteCount {
      parts.append("peak " + ByteCountFormatter.string(fromByteCount: Int64(peakByteCount), countStyle: .memory))
    }
    if let error { parts.append(error) }
    return "\(path): " + parts.joined(separator: ", ")
  }
}
