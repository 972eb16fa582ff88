// Stores are parts of an `ImageCache`, and their API names the types of the caches: `import HalcyonBackend` brings both.
@_exported public import HalcyonCache

// The types that renditions name.
@_exported public import struct HalcyonImaging.Rendition
@_exported public import struct HalcyonPipeline.EncodedImageResponse
@_exported public import class HalcyonPipeline.MemoryBudget
