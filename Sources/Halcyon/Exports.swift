@_exported public import HalcyonCodecs
@_exported public import HalcyonCore
@_exported public import HalcyonTransport
