// Codecs are of no use without images: `import HalcyonCodecs` brings both.
@_exported public import HalcyonImaging
