import HalcyonTransport

/// The transport that the suites for every transport test.
#if URLSESSION
typealias PlatformTransport = URLSessionTransport
#else
typealias PlatformTransport = CurlTransport
#endif
