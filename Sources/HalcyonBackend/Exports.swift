// Stores are parts of an `ImageCache`, and their API names the types of the caches: `import HalcyonBackend` brings both.
@_exported public import HalcyonCache
