// swift-tools-version: 6.3
import PackageDescription

// `make test` and CI set this; people who depend on Halcyon never see a warning turned into an error.
let warningsAreErrors = Context.environment["HALCYON_WARNINGS_AS_ERRORS"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// Apple's systems bring what these libraries are for: codecs, and URLSession. Only sqlite3 and zlib are used everywhere,
/// which are part of Apple's SDKs. `Scripts/check-apple-manifest` checks it.
let otherPlatforms: [Platform] = [.linux, .android, .openbsd]
let applePlatforms: [Platform] = [.iOS, .macOS, .macCatalyst, .tvOS, .watchOS, .visionOS]

/// Where the codecs are those of the system, not libraries.
let systemCodecs = SwiftSetting.define("IMAGEIO", .when(platforms: applePlatforms))

/// Where the transport is `URLSession`, not libcurl.
let systemTransport = SwiftSetting.define("URLSESSION", .when(platforms: applePlatforms))

/// A library of the system, or a shim over one, that is not used on Apple's systems.
func library(_ name: String, trait: String? = nil) -> Target.Dependency {
  guard let trait else { return .target(name: name, condition: .when(platforms: otherPlatforms)) }
  return .target(name: name, condition: .when(platforms: otherPlatforms, traits: [trait]))
}

/// A target of ours with the strict settings; `path` only where the folder is not named after the target.
func module(
  _ name: String, dependencies: [Target.Dependency] = [], path: String? = nil, resources: [Resource]? = nil,
  settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path, resources: resources, swiftSettings: swiftSettings + settings)
}

func suite(
  _ name: String, dependencies: [Target.Dependency], resources: [Resource]? = nil, settings: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings + settings)
}

/// A C library of the system, found through pkg-config; on a Mac in the SDK, whatever else is installed.
///
/// A library that `isInDefaultPaths` is found without pkg-config, because its file has only flags that SwiftPM refuses
/// with a warning.
func system(_ name: String, pkgConfig: String, debian: String, isInDefaultPaths: Bool = false) -> Target {
  #if os(macOS)
  let usesPkgConfig = false
  #else
  let usesPkgConfig = !isInDefaultPaths
  #endif
  return .systemLibrary(
    name: name, path: "Sources/Shims/\(name)", pkgConfig: usesPkgConfig ? pkgConfig : nil,
    providers: [.apt([debian])])
}

func shim(_ name: String, over library: String) -> Target {
  .target(name: name, dependencies: [.byName(name: library)], path: "Sources/Shims/\(name)")
}

/// All layers, for tests and benches that look inside.
let layers: [Target.Dependency] = [
  "HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline", "HalcyonViews",
]

let package = Package(
  name: "Halcyon",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Halcyon", targets: ["Halcyon"]),
    .library(name: "HalcyonGTK", targets: ["HalcyonGTK"]),
    .library(name: "HalcyonApple", targets: ["HalcyonApple"]),
    .library(name: "HalcyonImaging", targets: ["HalcyonImaging", "HalcyonCodecs"]),
    .library(name: "HalcyonCache", targets: ["HalcyonCache", "HalcyonHTTP", "HalcyonImaging", "HalcyonSupport"]),
    .library(name: "HalcyonMemcached", targets: ["HalcyonMemcached"]),
    .library(name: "HalcyonTesting", targets: ["HalcyonTesting"]),
  ],
  traits: [
    .trait(name: "AVIF", description: "Reads and writes AVIF through libavif."),
    .trait(name: "HEIF", description: "Reads HEIC and HEIF through libde265 and libheif."),
    .trait(name: "ISAL", description: "Inflates PNG through ISA-L, in half the time of zlib."),
    .trait(name: "JXL", description: "Reads and writes JPEG XL through libjxl."),
    .trait(name: "SVG", description: "Draws SVG through librsvg."),
    .trait(name: "GTK", description: "Shows images in GTK 4 windows; the product is HalcyonGTK."),
    .trait(name: "Memcached", description: "Caches in memcached, with libmemcached; the product is HalcyonMemcached."),
  ],
  targets: [
    // The layers, from the lowest up: a module imports only those above it in this list.
    module("HalcyonSupport", dependencies: ["SystemShim"]),
    module("HalcyonImaging", dependencies: ["HalcyonSupport"]),
    module("HalcyonHTTP", dependencies: ["HalcyonSupport"]),
    module(
      "HalcyonCache",
      dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "CSQLite", "SystemShim"]),
    module("HalcyonPipeline", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache"]),
    module("HalcyonViews", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonPipeline"]),

    // Beside the layers: what moves the bytes, and what decodes and encodes them.
    module(
      "HalcyonCodecs",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "CZlib", "SystemShim",
        library("CLCMS"), library("CSPNG"), library("CWebP"), library("CZimg"), library("JPEGShim"),
        library("TIFFShim"), library("CAVIF", trait: "AVIF"), library("CDE265", trait: "HEIF"),
        library("CHEIF", trait: "HEIF"), library("CISAL", trait: "ISAL"), library("CJXL", trait: "JXL"),
        library("CRSVG", trait: "SVG"),
        library("XMLShim", trait: "SVG"),
      ],
      settings: [systemCodecs]),
    module(
      "HalcyonTransport",
      dependencies: ["HalcyonSupport", "HalcyonHTTP", "CZlib", library("CurlShim")], settings: [systemTransport]),

    // Beside the layers too: a cache on servers.
    module(
      "HalcyonMemcached",
      dependencies: [
        "HalcyonSupport", "HalcyonHTTP", "HalcyonCache", library("CMemcached", trait: "Memcached"),
      ]),

    // On top: the standard wiring, the toolkits, and doubles for tests.
    module(
      "Halcyon",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline", "HalcyonCodecs",
        "HalcyonTransport",
      ],
      settings: [systemTransport]),
    module(
      "HalcyonGTK",
      dependencies: [
        "Halcyon", "HalcyonViews", "HalcyonSupport", "HalcyonImaging", "HalcyonCache", "HalcyonPipeline",
        library("CGTK", trait: "GTK"),
      ]),
    module("HalcyonApple", dependencies: ["Halcyon", "HalcyonViews", "HalcyonCodecs"]),
    module(
      "HalcyonTesting",
      dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline"]),

    // `make demo`: not a product, so packages that depend on Halcyon do not build it.
    .executableTarget(
      name: "halcyon-demo", dependencies: ["Halcyon", "TestSupport"], swiftSettings: swiftSettings),

    // `make bench-resampling`: compares code that the library does not export.
    .executableTarget(
      name: "halcyon-bench-resampling", dependencies: ["HalcyonCodecs", "HalcyonImaging", "TestSupport"],
      path: "Benchmarks/Resampling", swiftSettings: swiftSettings),

    // `make bench-fleet`: a look-up in memcached, against libmemcached alone.
    .executableTarget(
      name: "halcyon-bench-memcached",
      dependencies: [
        "HalcyonMemcached", "HalcyonCache", "HalcyonSupport", "TestSupport", library("CMemcached", trait: "Memcached"),
      ],
      path: "Benchmarks/Memcached", swiftSettings: swiftSettings),

    module("TestSupport", path: "Tests/Support", resources: [.copy("Photos")]),
    // Not in TestSupport, which other packages compile from its sources.
    module("CompressionSupport", dependencies: ["CZlib"], path: "Tests/CompressionSupport"),
    suite("SupportTests", dependencies: ["TestSupport"]),
    suite(
      "HalcyonTransportTests",
      dependencies: [
        "HalcyonTransport", "HalcyonHTTP", "HalcyonSupport", "TestSupport", "CompressionSupport",
        library("CurlShim"),
      ],
      resources: [.copy("Certificates")], settings: [systemTransport]),
    suite("HalcyonTests", dependencies: ["Halcyon", "HalcyonTesting", "TestSupport", "CompressionSupport"] + layers),
    suite(
      "HalcyonMemcachedTests",
      dependencies: [
        "HalcyonMemcached", "HalcyonTesting", "HalcyonSupport", "HalcyonHTTP", "HalcyonCache", "TestSupport",
        library("CMemcached", trait: "Memcached"),
      ]),
    suite(
      "SharedStoreTests",
      dependencies: [
        "HalcyonTransport", "HalcyonTesting", "HalcyonSupport", "HalcyonHTTP", "HalcyonImaging", "HalcyonCache",
        "HalcyonPipeline", "TestSupport",
      ]),
    // Closures bind to parameters in another way there.
    .testTarget(
      name: "SwiftFiveTests", dependencies: ["HalcyonTesting"] + layers,
      swiftSettings: [.swiftLanguageMode(.v5)]),
    suite("LayerTests", dependencies: ["HalcyonTesting", "TestSupport", "halcyon-torture"] + layers),
    .executableTarget(
      name: "halcyon-torture",
      dependencies: ["HalcyonCache", "HalcyonImaging", "HalcyonHTTP", "HalcyonSupport", "TestSupport", "CSQLite"],
      path: "Tests/Torture", swiftSettings: swiftSettings),
    // GTK belongs to the main thread, on which no suite runs: each test starts this program with a display of its own.
    suite("HalcyonGTKTests", dependencies: ["HalcyonGTK", "TestSupport", "halcyon-gtk-scenes"]),
    .executableTarget(
      name: "halcyon-gtk-scenes",
      dependencies: ["Halcyon", "HalcyonGTK", "TestSupport", library("CGTK", trait: "GTK")] + layers,
      path: "Tests/GTKScenes",
      swiftSettings: swiftSettings),

    system("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
    system("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
    system("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
    system("CJPEG", pkgConfig: "libjpeg", debian: "libjpeg62-turbo-dev"),
    system("CSPNG", pkgConfig: "spng", debian: "libspng-dev"),
    system("CZimg", pkgConfig: "zimg", debian: "libzimg-dev"),
    system("CWebP", pkgConfig: "libwebpdemux", debian: "libwebp-dev"),
    system("CTIFF", pkgConfig: "libtiff-4", debian: "libtiff-dev"),
    system("CLCMS", pkgConfig: "lcms2", debian: "liblcms2-dev"),
    system("CAVIF", pkgConfig: "libavif", debian: "libavif-dev", isInDefaultPaths: true),
    system("CDE265", pkgConfig: "libde265", debian: "libde265-dev"),
    system("CHEIF", pkgConfig: "libheif", debian: "libheif-dev"),
    system("CISAL", pkgConfig: "libisal", debian: "libisal-dev"),
    system("CJXL", pkgConfig: "libjxl", debian: "libjxl-dev", isInDefaultPaths: true),
    system("CRSVG", pkgConfig: "librsvg-2.0", debian: "librsvg2-dev"),
    system("CXML", pkgConfig: "libxml-2.0", debian: "libxml2-dev"),
    system("CGTK", pkgConfig: "gtk4", debian: "libgtk-4-dev"),
    system("CMemcached", pkgConfig: "libmemcached", debian: "libmemcached-dev"),
    shim("CurlShim", over: "CCurl"),
    shim("JPEGShim", over: "CJPEG"),
    .target(name: "SystemShim", path: "Sources/Shims/SystemShim"),
    shim("TIFFShim", over: "CTIFF"),
    shim("XMLShim", over: "CXML"),

    suite(
      "HalcyonCodecsTests", dependencies: ["HalcyonCodecs", "HalcyonImaging", "HalcyonSupport", "TestSupport"],
      resources: [.copy("Fixtures")], settings: [systemCodecs]),
  ],
  swiftLanguageModes: [.v6]
)
