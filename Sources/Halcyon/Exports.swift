// Everything that `import Halcyon` brings: the pipeline, and what its users name of the layers below it. Authors of codecs,
// stores, toolkits and proxies import the modules themselves: HalcyonImaging, HalcyonCodecs, HalcyonHTTP, HalcyonCache,
// HalcyonBackend, HalcyonViews.

@_exported public import HalcyonPipeline
@_exported public import HalcyonTransport

@_exported public import struct HalcyonSupport.CacheKey
@_exported public import enum HalcyonSupport.HalcyonVersion
@_exported public import enum HalcyonSupport.ImagePriority
@_exported public import struct HalcyonSupport.SystemTime
@_exported public import protocol HalcyonSupport.TimeSource

@_exported public import class HalcyonImaging.AnimatedImage
@_exported public import struct HalcyonImaging.AnimationFrame
@_exported public import struct HalcyonImaging.Bitmap
@_exported public import enum HalcyonImaging.BlendMode
@_exported public import struct HalcyonImaging.BlurHash
@_exported public import struct HalcyonImaging.BuiltInProcessor
@_exported public import enum HalcyonImaging.ColorModel
@_exported public import struct HalcyonImaging.CornerRadii
@_exported public import struct HalcyonImaging.CropAnchor
@_exported public import struct HalcyonImaging.DecodedImage
@_exported public import enum HalcyonImaging.DroppedContent
@_exported public import enum HalcyonImaging.FlipDirection
@_exported public import struct HalcyonImaging.ImageBorder
@_exported public import enum HalcyonImaging.ImageDecodingError
@_exported public import enum HalcyonImaging.ImageEncodingError
@_exported public import enum HalcyonImaging.ImageFormat
@_exported public import struct HalcyonImaging.ImageInfo
@_exported public import struct HalcyonImaging.ImageLimits
@_exported public import struct HalcyonImaging.ImageMetadata
@_exported public import enum HalcyonImaging.ImageOrientation
@_exported public import enum HalcyonImaging.ImageProcessingError
@_exported public import protocol HalcyonImaging.ImageProcessor
@_exported public import struct HalcyonImaging.PixelColor
@_exported public import enum HalcyonImaging.MetadataPolicy
@_exported public import struct HalcyonImaging.PixelSize
@_exported public import enum HalcyonImaging.TargetSize
@_exported public import struct HalcyonImaging.ThumbHash

@_exported public import struct HalcyonHTTP.AddressPolicy
@_exported public import struct HalcyonHTTP.AddressRange
@_exported public import enum HalcyonHTTP.FreshnessPolicy
@_exported public import struct HalcyonHTTP.HTTPHeaders
@_exported public import struct HalcyonHTTP.HTTPMethod
@_exported public import protocol HalcyonHTTP.Transport
@_exported public import struct HalcyonHTTP.TransportBody
@_exported public import enum HalcyonHTTP.TransportError
@_exported public import struct HalcyonHTTP.TransportLimits
@_exported public import struct HalcyonHTTP.TransportRequest
@_exported public import struct HalcyonHTTP.TransportResponse
@_exported public import struct HalcyonHTTP.TransportTimings

@_exported public import enum HalcyonCache.CacheExpiration
@_exported public import enum HalcyonCache.CacheMiss
@_exported public import struct HalcyonCache.CacheStatistics
@_exported public import enum HalcyonCache.CacheTier
@_exported public import struct HalcyonCache.CleaningPolicy
@_exported public import struct HalcyonCache.CleaningReport
@_exported public import struct HalcyonCache.DiskCacheConfiguration
@_exported public import struct HalcyonCache.EntryMetadata
@_exported public import enum HalcyonCache.EvictionPolicy
@_exported public import enum HalcyonCache.EvictionReason
@_exported public import struct HalcyonCache.HTTPCacheRules
@_exported public import class HalcyonCache.ImageCache
@_exported public import struct HalcyonCache.MemoryCacheConfiguration

@_exported public import enum HalcyonCodecs.StandardCodecs
