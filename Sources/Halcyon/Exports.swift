// Everything that `import Halcyon` brings: the pipeline, and the types of lower modules that its users name. Authors of
// codecs import HalcyonImaging as well, of stores HalcyonCache, of transports HalcyonHTTP, of views HalcyonViews;
// servers import HalcyonBackend.

@_exported public import enum HalcyonSupport.ImagePriority

@_exported public import class HalcyonImaging.AnimatedImage
@_exported public import struct HalcyonImaging.AnimationFrame
@_exported public import struct HalcyonImaging.Bitmap
@_exported public import struct HalcyonImaging.BuiltInProcessor
@_exported public import enum HalcyonImaging.ColorSpace
@_exported public import struct HalcyonImaging.CornerRadii
@_exported public import struct HalcyonImaging.CropAnchor
@_exported public import struct HalcyonImaging.DecodedImage
@_exported public import enum HalcyonImaging.DynamicRange
@_exported public import enum HalcyonImaging.FlipDirection
@_exported public import struct HalcyonImaging.ImageBorder
@_exported public import enum HalcyonImaging.ImageDecodingError
@_exported public import enum HalcyonImaging.ImageEncodingError
@_exported public import enum HalcyonImaging.ImageFormat
@_exported public import struct HalcyonImaging.ImageInfo
@_exported public import struct HalcyonImaging.ImageLimits
@_exported public import enum HalcyonImaging.ImageProcessingError
@_exported public import protocol HalcyonImaging.ImageProcessor
@_exported public import enum HalcyonImaging.MetadataPolicy
@_exported public import struct HalcyonImaging.PixelColor
@_exported public import struct HalcyonImaging.PixelArea
@_exported public import struct HalcyonImaging.PixelSize
@_exported public import enum HalcyonImaging.TargetColorSpace
@_exported public import enum HalcyonImaging.TargetSize
@_exported public import struct HalcyonImaging.ThumbHash

@_exported public import struct HalcyonHTTP.AddressPolicy
@_exported public import enum HalcyonHTTP.CachePolicy
@_exported public import struct HalcyonHTTP.HTTPHeaders
@_exported public import struct HalcyonHTTP.HTTPMethod
@_exported public import enum HalcyonHTTP.TransportError
@_exported public import struct HalcyonHTTP.TransportRequest

@_exported public import enum HalcyonCache.CacheExpiration
@_exported public import enum HalcyonCache.CacheTier
@_exported public import struct HalcyonCache.DiskCacheConfiguration
@_exported public import enum HalcyonCache.EvictionPolicy
@_exported public import class HalcyonCache.ImageCache
@_exported public import struct HalcyonCache.MemoryCacheConfiguration

@_exported public import enum HalcyonPipeline.AnimationPolicy
@_exported public import struct HalcyonPipeline.BatchProgress
@_exported public import enum HalcyonPipeline.CacheAccess
@_exported public import struct HalcyonPipeline.ConnectionLimits
@_exported public import struct HalcyonPipeline.ExponentialBackoff
@_exported public import struct HalcyonPipeline.FailedAttempt
@_exported public import struct HalcyonPipeline.FailureLifetimes
@_exported public import class HalcyonPipeline.ImageBatch
@_exported public import enum HalcyonPipeline.ImageError
@_exported public import enum HalcyonPipeline.ImageOrigin
@_exported public import class HalcyonPipeline.ImagePipeline
@_exported public import class HalcyonPipeline.ImagePrefetcher
@_exported public import struct HalcyonPipeline.ImageRequest
@_exported public import struct HalcyonPipeline.ImageResponse
@_exported public import struct HalcyonPipeline.ImageSource
@_exported public import class HalcyonPipeline.ImageTask
@_exported public import struct HalcyonPipeline.LoadProgress
@_exported public import struct HalcyonPipeline.LoadTrace
@_exported public import struct HalcyonPipeline.PipelineConfiguration
@_exported public import struct HalcyonPipeline.PipelineEvent
@_exported public import class HalcyonPipeline.PrefetchTask
@_exported public import struct HalcyonPipeline.PreviewPolicy
@_exported public import protocol HalcyonPipeline.RequestModifier
@_exported public import struct HalcyonPipeline.RequestOptions
@_exported public import struct HalcyonPipeline.ResponseHead
@_exported public import protocol HalcyonPipeline.RetryStrategy
@_exported public import struct HalcyonPipeline.StoragePolicy
@_exported public import class HalcyonPipeline.TiledImage
@_exported public import struct HalcyonPipeline.URLSignature

@_exported public import enum HalcyonCodecs.StandardCodecs
