// The types of other modules that the API of the caches uses, so that `import HalcyonCache` is enough.

@_exported public import enum HalcyonHTTP.CachePolicy
@_exported public import struct HalcyonHTTP.HTTPHeaders
@_exported public import struct HalcyonHTTP.VaryKey
@_exported public import struct HalcyonImaging.Bitmap
@_exported public import struct HalcyonImaging.DecodedImage
@_exported public import enum HalcyonImaging.ImageFormat
@_exported public import struct HalcyonImaging.ImageInfo
@_exported public import struct HalcyonImaging.PixelSize
@_exported public import struct HalcyonImaging.ThumbHash
@_exported public import struct HalcyonSupport.CacheKey
@_exported public import struct HalcyonSupport.SystemTime
@_exported public import protocol HalcyonSupport.TimeSource
