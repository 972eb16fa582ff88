@_exported public import Halcyon
@_exported public import HalcyonViews

#if URLSESSION
@_exported public import class HalcyonTransport.URLSessionTransport
#endif
