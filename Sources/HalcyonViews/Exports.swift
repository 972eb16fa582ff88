@_exported public import struct HalcyonImaging.BlurHash
