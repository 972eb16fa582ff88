@_exported public import Foundation

public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFString = String
public typealias CFDictionary = [CFString: Any]

public final class CGColorSpace: Sendable {
  public static let sRGB = "kCGColorSpaceSRGB"

  public init?(name: CFString) {
    guard name == CGColorSpace.sRGB else { return nil }
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

/// Four bytes a pixel in sRGB: premultiplied RGBA, or RGB and a byte that is skipped.
public final class CGImage {
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  public let bitmapInfo: CGBitmapInfo
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: bitmapInfo.intersection(.alphaInfoMask).rawValue) ?? .none
  }

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
    self.provider = provider
  }
}

/// Draws into memory in the layout of ``CGImageAlphaInfo/premultipliedLast``.
public final class CGContext {
  private let data: UnsafeMutableRawPointer
  private let bytesPerRow: Int
  private let bounds: CGRect

  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) {
    guard let data, width > 0, height > 0, bitsPerComponent == 8, bytesPerRow >= width * 4,
      bitmapInfo == CGImageAlphaInfo.premultipliedLast.rawValue
    else { return nil }
    self.data = data
    self.bytesPerRow = bytesPerRow
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
      guard isOpaque else { continue }
      for column in 0..<image.width { target.storeBytes(of: 255, toByteOffset: column * 4 + 3, as: UInt8.self) }
    }
  }
}
