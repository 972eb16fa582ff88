@_exported public import Foundation

public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFString = String
public typealias CFDictionary = [CFString: Any]

public final class CGColorSpace: Sendable {
  public static let sRGB = "kCGColorSpaceSRGB"
  public static let displayP3 = "kCGColorSpaceDisplayP3"

  public let name: CFString?

  var isWide: Bool { name == CGColorSpace.displayP3 }

  public init?(name: CFString) {
    guard name == CGColorSpace.sRGB || name == CGColorSpace.displayP3 else { return nil }
    self.name = name
  }
}

public typealias CGDataProviderReleaseDataCallback =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void

public final class CGDataProvider {
  let bytes: UnsafeRawBufferPointer
  private let info: UnsafeMutableRawPointer?
  private let releaseData: CGDataProviderReleaseDataCallback

  public init?(
    dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
    releaseData: @escaping CGDataProviderReleaseDataCallback
  ) {
    self.info = info
    self.releaseData = releaseData
    bytes = UnsafeRawBufferPointer(start: data, count: size)
  }

  deinit {
    if let data = bytes.baseAddress { releaseData(info, data, bytes.count) }
  }
}

public enum CGImageAlphaInfo: UInt32, Sendable {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst
}

public struct CGBitmapInfo: OptionSet, Sendable {
  public static let alphaInfoMask = CGBitmapInfo(rawValue: 31)

  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public enum CGColorRenderingIntent: Int32 {
  case defaultIntent
}

/// Four bytes a pixel: premultiplied RGBA, or RGB and a byte that is skipped.
public final class CGImage {
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  public let bitmapInfo: CGBitmapInfo
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: bitmapInfo.intersection(.alphaInfoMask).rawValue) ?? .none
  }

  public let colorSpace: CGColorSpace?

  let provider: CGDataProvider

  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    guard width > 0, height > 0, bitsPerComponent == 8, bitsPerPixel == 32, bytesPerRow >= width * 4,
      provider.bytes.count >= bytesPerRow * (height - 1) + width * 4
    else { return nil }
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.bitmapInfo = bitmapInfo
    colorSpace = space
    self.provider = provider
  }
}

/// Draws into memory in the layout of ``CGImageAlphaInfo/premultipliedLast``.
public final class CGContext {
  private let data: UnsafeMutableRawPointer
  private let bytesPerRow: Int
  private let bounds: CGRect
  private let space: CGColorSpace

  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) {
    guard let data, width > 0, height > 0, bitsPerComponent == 8, bytesPerRow >= width * 4,
      bitmapInfo == CGImageAlphaInfo.premultipliedLast.rawValue
    else { return nil }
    self.data = data
    self.bytesPerRow = bytesPerRow
    self.space = space
    bounds = CGRect(x: 0, y: 0, width: CGFloat(width), height: CGFloat(height))
  }

  /// Only whole images at their own size, onto transparent pixels.
  public func draw(_ image: CGImage, in rect: CGRect) {
    precondition(
      rect == bounds && rect.width == CGFloat(image.width) && rect.height == CGFloat(image.height),
      "this stand-in does not scale")
    let isOpaque = image.alphaInfo == .noneSkipLast
    for row in 0..<image.height {
      guard let source = image.provider.bytes.baseAddress else { return }
      let target = data + row * bytesPerRow
      target.copyMemory(from: source + row * image.bytesPerRow, byteCount: image.width * 4)
      for column in 0..<image.width where isOpaque {
        target.storeBytes(of: 255, toByteOffset: column * 4 + 3, as: UInt8.self)
      }
      if image.colorSpace?.isWide != space.isWide {
        convert(target.assumingMemoryBound(to: UInt8.self), count: image.width)
      }
    }
  }

  /// Converts premultiplied pixels between sRGB and Display P3.
  private func convert(_ row: UnsafeMutablePointer<UInt8>, count: Int) {
    let matrix =
      space.isWide
      ? [[0.8225, 0.1775, 0], [0.0332, 0.9668, 0], [0.0171, 0.0724, 0.9105]]
      : [[1.2249, -0.2249, 0], [-0.0421, 1.0421, 0], [-0.0196, -0.0786, 1.0983]]
    for column in 0..<count {
      let pixel = row + column * 4
      let alpha = Double(max(pixel[3], 1))
      let light = (0..<3).map { channel in
        let value = min(Double(pixel[channel]) / alpha, 1)
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      for channel in 0..<3 {
        let sum = min(max((0..<3).reduce(0) { $0 + matrix[channel][$1] * light[$1] }, 0), 1)
        let value = sum <= 0.0031308 ? 12.92 * sum : 1.055 * pow(sum, 1 / 2.4) - 0.055
        pixel[channel] = UInt8((value * Double(pixel[3])).rounded())
      }
    }
  }
}
