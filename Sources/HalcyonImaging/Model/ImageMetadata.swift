public import Foundation

/// The metadata of an image file: Exif, XMP, the ICC profile, and the properties in its headers.
///
/// ```swift
/// let metadata = try ImageMetadata(of: bytes)
/// print(metadata.cameraModel ?? "unknown camera", metadata.captureDate?.date ?? .distantPast)
/// ```
///
/// Read from the encoded bytes when it is asked for: loading and decoding images does not read it. Texts come from
/// Exif, or from XMP if Exif has none, without control characters and at most 4,096 bytes long. A file may state
/// anything, so they may be wrong.
public struct ImageMetadata: Hashable, Sendable {
  /// The format, size, orientation, number of frames and colour model.
  public var info: ImageInfo
  /// The manufacturer of the camera.
  public var cameraMake: String?
  /// The model of the camera.
  public var cameraModel: String?
  /// The date and time at which the photograph was taken, down to nanoseconds if the file has them.
  ///
  /// In the Gregorian calendar. `timeZone` is `nil` if the file does not say it, as most do not; `captureDate?.date` then
  /// reads the time in the current time zone.
  public var captureDate: DateComponents?
  /// The lens, with its maker if the file names only that beside it.
  public var lens: String?
  /// How long the sensor was exposed, in seconds.
  public var exposureTime: Double?
  /// The aperture as an f-number.
  public var fNumber: Double?
  /// The sensitivity by ISO 12232.
  public var isoSpeed: Int?
  /// The focal length of the lens in millimetres, as it is and not converted to another size of film.
  public var focalLength: Double?
  /// Whether the file says where the photograph was taken.
  public var hasLocation = false
  /// The name of the photographer.
  public var artist: String?
  /// The copyright notice.
  public var copyright: String?
  /// The description in the ICC profile, for example `Display P3`.
  public var colorProfileName: String?
  /// The colour space that the file names, besides an ICC profile: `sRGB` (also for the primaries of BT.709), `Adobe RGB`,
  /// `Display P3` or `BT.2020`.
  public var colorSpace: String?
  /// Whether the file states a wider gamut than sRGB, by primaries or by an ICC profile.
  public var hasWideGamut: Bool
  /// The transfer function of high dynamic range, `PQ` or `HLG`; `nil` for others.
  public var transferFunction: String?
  /// Whether an image can be shown coarsely before all of it has arrived: a progressive JPEG or an interlaced PNG.
  public var isProgressive: Bool
  /// How long the frames of an animation take to play once; `nil` for a still image, and for AVIF and JPEG XL.
  public var duration: Duration?
  /// The Exif data, which begins with its TIFF header; `nil` if the file has none.
  public var exif: Data?
  /// The XMP packet, an XML document; `nil` if the file has none.
  public var xmp: Data?
  /// The ICC profile; `nil` if the file has none, or one over 4 MiB.
  public var colorProfile: Data?

  /// Creates metadata.
  ///
  /// An encoder writes ``exif`` and ``xmp``. Without ``exif`` it writes the camera, the date, the artist and the copyright
  /// as new Exif data.
  public init(
    info: ImageInfo, cameraMake: String? = nil, cameraModel: String? = nil, captureDate: DateComponents? = nil,
    artist: String? = nil, copyright: String? = nil, colorProfileName: String? = nil, colorSpace: String? = nil,
    hasWideGamut: Bool = false, transferFunction: String? = nil, isProgressive: Bool = false, duration: Duration? = nil,
    exif: Data? = nil, xmp: Data? = nil,
    colorProfile: Data? = nil
  ) {
    self.info = info
    self.cameraMake = cameraMake
    self.cameraModel = cameraModel
    self.captureDate = captureDate
    self.artist = artist
    self.copyright = copyright
    self.colorProfileName = colorProfileName
    self.colorSpace = colorSpace
    self.hasWideGamut = hasWideGamut
    self.transferFunction = transferFunction
    self.isProgressive = isProgressive
    self.duration = duration
    self.exif = exif
    self.xmp = xmp
    self.colorProfile = colorProfile
  }

  /// Only the artist and the copyright: without place, date and camera.
  package var onlyCopyright: ImageMetadata { ImageMetadata(info: info, artist: artist, copyright: copyright) }
}

extension ImageMetadata: CustomStringConvertible {
  /// What the file says, in one line: for example `jpeg 4000x3000, Canon EOS R5, 2024-05-01 10:20:30, Display P3`.
  public var description: String {
    var parts = [info.description]
    if let camera { parts.append(camera) }
    if let lens { parts.append(lens) }
    if let exposure { parts.append(exposure) }
    if let captureTime { parts.append(captureTime) }
    if hasLocation { parts.append("with a place") }
    if let profile = colorProfileName ?? colorSpace { parts.append(profile) }
    if let transferFunction { parts.append(transferFunction) }
    if isProgressive { parts.append("progressive") }
    if let duration { parts.append("\(duration)") }
    if let copyright { parts.append(copyright) }
    return parts.joined(separator: ", ")
  }

  /// Make and model, which often begins with the make.
  public var camera: String? {
    guard let cameraModel else { return cameraMake }
    guard let cameraMake, !cameraModel.lowercased().hasPrefix(cameraMake.lowercased()) else { return cameraModel }
    return "\(cameraMake) \(cameraModel)"
  }

  /// How the photograph was exposed, as far as the file says it: `1/250 s, f/2.8, ISO 400, 50 mm`.
  public var exposure: String? {
    let parts = [
      exposureTime.map { $0 < 0.5 ? "1/\(Self.number(1 / $0, decimals: 0)) s" : "\(Self.number($0)) s" },
      fNumber.map { "f/\(Self.number($0))" }, isoSpeed.map { "ISO \($0)" }, focalLength.map { "\(Self.number($0)) mm" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// A number with at most one decimal place.
  private static func number(_ value: Double, decimals: Int = 1) -> String {
    let text = String(format: "%.\(decimals)f", value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// The capture date as text, in the time of the camera: `2024-05-01 10:20:30`, with `+02:00` if the file has the zone, or
  /// as much of it as the file states: `2024-05-01 10:20`, `2024-05-01`, `2024-05` or `2024`.
  public var captureTime: String? {
    guard let captureDate, let year = captureDate.year else { return nil }
    let padded = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
    let days = [captureDate.month, captureDate.day].prefix { $0 != nil }.compactMap(\.self).map(padded)
    let date = (["\(year)"] + days).joined(separator: "-")
    guard days.count == 2, let hour = captureDate.hour, let minute = captureDate.minute else { return date }
    let time = ([hour, minute] + [captureDate.second].compactMap(\.self)).map(padded).joined(separator: ":")
    guard let minutes = captureDate.timeZone.map({ $0.secondsFromGMT() / 60 }) else { return "\(date) \(time)" }
    let zone = "\(minutes < 0 ? "-" : "+")\(padded(abs(minutes) / 60)):\(padded(abs(minutes) % 60))"
    return "\(date) \(time)\(zone)"
  }
}
