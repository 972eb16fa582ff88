// swift-tools-version: 6.3
import PackageDescription

/// `make check` and `make test` set this: warnings are errors, and all traits are enabled, without SwiftPM's flags for
/// them. SwiftPM passes those to the compiler in a random order, and a different order compiles everything again.
let isChecked = Context.environment["HALCYON_CHECKS"] == "1"

/// `Scripts/stand-ins` sets this, to build the library on Linux as on Apple's platforms, over modules with the names of
/// Apple's in `Tests/AppleStandIns`. It needs a build folder of its own, since `canImport` finds what is built.
let usesStandIns = Context.environment["HALCYON_STAND_INS"] == "1"

let traits: [(name: String, description: String)] = [
  ("AVIF", "Reads and writes AVIF through libavif."),
  ("HEIF", "Reads HEIC and HEIF through libde265 and libheif."),
  ("ISAL", "Inflates PNG through ISA-L, in half the time of zlib."),
  ("JXL", "Reads and writes JPEG XL through libjxl."),
  ("SVG", "Draws SVG through librsvg."),
  ("GTK", "Shows images in GTK 4 windows; the product is HalcyonGTK."),
  ("Memcached", "Caches in memcached, with libmemcached; the product is HalcyonBackend."),
  ("Logging", "Writes events to swift-log; the product is HalcyonLogging."),
  ("Metrics", "Counts events in swift-metrics; the product is HalcyonMetrics."),
]

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (isChecked ? [.treatAllWarnings(as: .error)] : [])
  + (isChecked && !usesStandIns ? traits.map { .define($0.name) } : [])

/// The checks optimize the modules with long loops, in which tests would take several times as long; assertions stay. As a
/// whole, a module is optimized in three quarters of the processor time that its files take one by one.
let optimized: Set = ["HalcyonSupport", "HalcyonImaging", "HalcyonCodecs", "HalcyonCache", "LinuxCodecs"]
let optimization: [SwiftSetting] = [
  .unsafeFlags(["-O", "-assert-config", "Debug"]),
  .unsafeFlags(["-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode"]),
  .define("OPTIMIZED"),
]

/// Apple's systems bring what these libraries are for: codecs, and URLSession. Only sqlite3 and zlib are used everywhere,
/// which are part of Apple's SDKs. `check-apple` in `Tests/AppleStandIns/Scripts` checks it.
let otherPlatforms: [Platform] = [.android, .openbsd] + (usesStandIns ? [] : [.linux])
let applePlatforms: [Platform] =
  [.iOS, .macOS, .macCatalyst, .tvOS, .watchOS, .visionOS] + (usesStandIns ? [.linux] : [])

/// Set where the system's codecs are used instead of libraries.
let systemCodecs = SwiftSetting.define("IMAGEIO", .when(platforms: applePlatforms))

/// Where the transport is `URLSession`, not libcurl.
let systemTransport = SwiftSetting.define("URLSESSION", .when(platforms: applePlatforms))

/// A library of the system, or a shim over one, that is not used on Apple's systems.
func library(_ name: String, trait: String? = nil) -> Target.Dependency {
  guard let trait, !isChecked else { return .target(name: name, condition: .when(platforms: otherPlatforms)) }
  return .target(name: name, condition: .when(platforms: otherPlatforms, traits: [trait]))
}

/// A product of another package, which is fetched only with a trait.
func product(_ name: String, package: String, trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: isChecked ? nil : .when(traits: [trait]))
}

/// A target of ours with the strict settings; `path` only where the folder is not named after the target.
func module(
  _ name: String, dependencies: [Target.Dependency] = [], path: String? = nil, exclude: [String] = [],
  resources: [Resource]? = nil, settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources,
    swiftSettings: swiftSettings + (isChecked && optimized.contains(name) ? optimization : []) + settings)
}

/// What Apple's App Store requires of an app's libraries, as a resource that Xcode finds: a Mac builds for those systems.
/// `check-apple` compares it with the calls in the sources.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(macOS)
let (privacyResources, privacyExclusions): ([Resource]?, [String]) = ([.copy(privacyManifest)], [])
#else
let (privacyResources, privacyExclusions): ([Resource]?, [String]) = (nil, [privacyManifest])
#endif

func suite(
  _ name: String, dependencies: [Target.Dependency], resources: [Resource]? = nil, settings: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["HalcyonTestTraits"], resources: resources,
    swiftSettings: swiftSettings + settings)
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

/// What `import Halcyon` brings. SwiftPM compiles a target again when a module that it depends on directly has changed:
/// products and targets that bring or import `Halcyon` name them all.
let exported = ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline", "HalcyonCodecs"]
let halcyon: [Target.Dependency] = (["Halcyon"] + exported).map { .target(name: $0) }

let package = Package(
  name: "Halcyon",
  // The oldest systems with custom executors and the module Observation. `check-availability` checks it.
  platforms: [.macOS(.v14), .iOS(.v17), .macCatalyst(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
  products: [
    .library(name: "Halcyon", targets: ["Halcyon"] + exported),
    .library(name: "HalcyonViews", targets: ["HalcyonViews"]),
    .library(name: "HalcyonGTK", targets: ["HalcyonGTK", "HalcyonViews", "Halcyon"] + exported),
    .library(name: "HalcyonApple", targets: ["HalcyonApple", "HalcyonViews", "Halcyon"] + exported),
    .library(name: "HalcyonImaging", targets: ["HalcyonImaging", "HalcyonCodecs"]),
    .library(name: "HalcyonCache", targets: ["HalcyonCache", "HalcyonHTTP", "HalcyonImaging", "HalcyonSupport"]),
    .library(name: "HalcyonBackend", targets: ["HalcyonBackend"]),
    // The processing options of image URLs, for the service and the command line of this repository.
    .library(name: "HalcyonProcessing", targets: ["HalcyonProcessing"]),
    .library(name: "HalcyonLogging", targets: ["HalcyonLogging"]),
    .library(name: "HalcyonMetrics", targets: ["HalcyonMetrics"]),
    .library(name: "HalcyonTesting", targets: ["HalcyonTesting"]),
    // A web server, photographs and processes for the tests and examples of this repository.
    .library(name: "HalcyonTestSupport", targets: ["HalcyonTestSupport"]),
    .library(name: "HalcyonTestTraits", targets: ["HalcyonTestTraits"]),
  ],
  traits: Set(traits.map { .trait(name: $0.name, description: $0.description) }),
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    // The layers, from the lowest up: a module imports only those above it in this list.
    module("HalcyonSupport", dependencies: ["CHalcyonSystemShim"]),
    module("HalcyonImaging", dependencies: ["HalcyonSupport", "CHalcyonZlib"]),
    module("HalcyonHTTP", dependencies: ["HalcyonSupport"]),
    module(
      "HalcyonCache",
      dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "CHalcyonSQLite", "CHalcyonSystemShim"],
      exclude: privacyExclusions, resources: privacyResources),
    module("HalcyonPipeline", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache"]),
    module("HalcyonViews", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonPipeline"]),

    // Beside the layers: what moves the bytes, and what decodes and encodes them.
    module(
      "HalcyonCodecs",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "CHalcyonZlib", "CHalcyonSystemShim",
        library("CHalcyonLCMS"), library("CHalcyonSPNG"), library("CHalcyonWebP"), library("CHalcyonZimg"),
        library("CHalcyonJPEGShim"),
        library("CHalcyonTIFFShim"), library("CHalcyonAVIF", trait: "AVIF"), library("CHalcyonDE265", trait: "HEIF"),
        library("CHalcyonHEIF", trait: "HEIF"), library("CHalcyonISAL", trait: "ISAL"),
        library("CHalcyonJXL", trait: "JXL"),
        library("CHalcyonRSVG", trait: "SVG"),
        library("CHalcyonXMLShim", trait: "SVG"),
      ],
      settings: [systemCodecs]),
    module("HalcyonProcessing", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonCodecs"]),
    module(
      "HalcyonTransport",
      dependencies: ["HalcyonSupport", "HalcyonHTTP", "CHalcyonZlib", library("CHalcyonCurlShim")],
      settings: [systemTransport]),

    // Beside the layers too: caches that servers share.
    module(
      "HalcyonBackend",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline",
        library("CHalcyonMemcached", trait: "Memcached"),
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
      dependencies: ["HalcyonViews", library("CHalcyonGTK", trait: "GTK")] + halcyon),
    module(
      "HalcyonApple", dependencies: ["HalcyonViews", "HalcyonTransport"] + halcyon,
      exclude: ["README.md"], settings: [systemTransport]),
    module("HalcyonLogging", dependencies: [product("Logging", package: "swift-log", trait: "Logging")] + halcyon),
    module("HalcyonMetrics", dependencies: [product("Metrics", package: "swift-metrics", trait: "Metrics")] + halcyon),
    module(
      "HalcyonTesting",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline", "HalcyonViews",
      ]),

    // `make demo`: not a product, so packages that depend on Halcyon do not build it.
    .executableTarget(
      name: "halcyon-demo", dependencies: ["HalcyonTestSupport"] + halcyon, swiftSettings: swiftSettings),

    // `make bench-resampling`: compares code that the library does not export.
    .executableTarget(
      name: "halcyon-bench-resampling", dependencies: ["HalcyonCodecs", "HalcyonImaging", "HalcyonTestSupport"],
      path: "Benchmarks/Resampling", swiftSettings: swiftSettings),

    // `make bench-fleet`: a look-up in memcached, against libmemcached alone.
    .executableTarget(
      name: "halcyon-bench-memcached",
      dependencies: [
        "HalcyonBackend", "HalcyonCache", "HalcyonSupport", "HalcyonTestSupport",
        library("CHalcyonMemcached", trait: "Memcached"),
      ],
      path: "Benchmarks/Memcached", swiftSettings: swiftSettings),

    // Tests: one suite a module, over a web server, processes and images of their own.
    module(
      "HalcyonTestSupport", dependencies: ["HalcyonSupport", "CHalcyonZlib"], path: "Tests/Support",
      resources: [.copy("Photos")]),
    module("HalcyonTestTraits", dependencies: ["HalcyonSupport"], path: "Tests/Traits"),
    module(
      "HalcyonTestDoubles", dependencies: ["HalcyonTesting", "HalcyonTestSupport"] + layers, path: "Tests/Doubles"),
    suite("HalcyonSupportTests", dependencies: ["HalcyonSupport", "HalcyonTestSupport"]),
    suite(
      "HalcyonImagingTests",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "HalcyonCodecs", "HalcyonTesting", "HalcyonTestDoubles",
        "HalcyonTestSupport",
      ]),
    suite("HalcyonHTTPTests", dependencies: ["HalcyonSupport", "HalcyonHTTP", "HalcyonTesting", "HalcyonTestSupport"]),
    suite(
      "HalcyonCacheTests",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonTransport", "HalcyonTesting",
        "HalcyonTestDoubles", "HalcyonTestSupport", "halcyon-torture",
      ],
      resources: [.copy("Fixtures")]),
    suite(
      "HalcyonPipelineTests",
      dependencies: [
        "HalcyonTransport", "HalcyonBackend", "HalcyonTesting", "HalcyonTestDoubles", "HalcyonTestSupport",
      ] + layers),
    suite("HalcyonViewsTests", dependencies: ["HalcyonTesting", "HalcyonTestDoubles", "HalcyonTestSupport"] + layers),
    suite(
      "HalcyonCodecsTests",
      dependencies: [
        "HalcyonCodecs", "HalcyonImaging", "HalcyonSupport", "HalcyonTestSupport", "halcyon-svg-helper",
        library("CHalcyonLCMS"),
      ],
      resources: [.copy("Fixtures")], settings: [systemCodecs]),
    suite(
      "HalcyonProcessingTests",
      dependencies: ["HalcyonProcessing", "HalcyonCodecs", "HalcyonImaging", "HalcyonSupport", "HalcyonTestSupport"]),
    suite(
      "HalcyonTransportTests",
      dependencies: [
        "HalcyonTransport", "HalcyonHTTP", "HalcyonSupport", "HalcyonTestSupport", library("CHalcyonCurlShim"),
      ],
      resources: [.copy("Certificates")], settings: [systemTransport]),
    suite(
      "HalcyonBackendTests",
      dependencies: [
        "HalcyonBackend", "HalcyonTransport", "HalcyonTesting", "HalcyonTestDoubles", "HalcyonTestSupport",
        library("CHalcyonMemcached", trait: "Memcached"),
      ] + layers, resources: [.copy("Fixtures")]),
    suite(
      "HalcyonTests",
      dependencies: [
        "HalcyonBackend", "HalcyonProcessing", "HalcyonViews", "HalcyonTesting", "HalcyonTestDoubles",
        "HalcyonTestSupport",
      ] + halcyon,
      resources: [.copy("Fixtures")]),
    suite(
      "HalcyonLoggingTests",
      dependencies: [
        "HalcyonLogging", "HalcyonTesting", product("Logging", package: "swift-log", trait: "Logging"),
      ] + halcyon),
    suite(
      "HalcyonMetricsTests",
      dependencies: [
        "HalcyonMetrics", "HalcyonTesting", product("Metrics", package: "swift-metrics", trait: "Metrics"),
        product("MetricsTestKit", package: "swift-metrics", trait: "Metrics"),
      ] + halcyon),
    // GTK belongs to the main thread, on which no suite runs: each test starts this program with a display of its own.
    suite("HalcyonGTKTests", dependencies: ["HalcyonGTK", "HalcyonTestSupport", "halcyon-gtk-scenes"]),
    .executableTarget(
      name: "halcyon-gtk-scenes",
      dependencies: ["HalcyonGTK", "HalcyonViews", "HalcyonTestSupport", library("CHalcyonGTK", trait: "GTK")]
        + halcyon,
      path: "Tests/GTKScenes",
      swiftSettings: swiftSettings),
    // Closures bind to parameters in another way there.
    .testTarget(
      name: "SwiftFiveTests", dependencies: ["HalcyonTesting", "HalcyonTestTraits"] + layers,
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "halcyon-svg-helper", dependencies: ["HalcyonCodecs"], path: "Tests/SVGHelper",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "halcyon-torture",
      dependencies: [
        "HalcyonCache", "HalcyonImaging", "HalcyonHTTP", "HalcyonSupport", "HalcyonTestSupport", "CHalcyonSQLite",
      ],
      path: "Tests/Torture", swiftSettings: swiftSettings),

    system("CHalcyonSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
    system("CHalcyonZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
    system("CHalcyonCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
    system("CHalcyonJPEG", pkgConfig: "libjpeg", debian: "libjpeg62-turbo-dev"),
    system("CHalcyonSPNG", pkgConfig: "spng", debian: "libspng-dev"),
    system("CHalcyonZimg", pkgConfig: "zimg", debian: "libzimg-dev"),
    system("CHalcyonWebP", pkgConfig: "libwebpmux", debian: "libwebp-dev"),
    system("CHalcyonTIFF", pkgConfig: "libtiff-4", debian: "libtiff-dev"),
    system("CHalcyonLCMS", pkgConfig: "lcms2", debian: "liblcms2-dev"),
    system("CHalcyonAVIF", pkgConfig: "libavif", debian: "libavif-dev", isInDefaultPaths: true),
    system("CHalcyonDE265", pkgConfig: "libde265", debian: "libde265-dev"),
    system("CHalcyonHEIF", pkgConfig: "libheif", debian: "libheif-dev"),
    system("CHalcyonISAL", pkgConfig: "libisal", debian: "libisal-dev"),
    system("CHalcyonJXL", pkgConfig: "libjxl", debian: "libjxl-dev", isInDefaultPaths: true),
    system("CHalcyonRSVG", pkgConfig: "librsvg-2.0", debian: "librsvg2-dev"),
    system("CHalcyonXML", pkgConfig: "libxml-2.0", debian: "libxml2-dev"),
    system("CHalcyonGTK", pkgConfig: "gtk4", debian: "libgtk-4-dev"),
    system("CHalcyonMemcached", pkgConfig: "libmemcached", debian: "libmemcached-dev"),
    shim("CHalcyonCurlShim", over: "CHalcyonCurl"),
    shim("CHalcyonJPEGShim", over: "CHalcyonJPEG"),
    .target(name: "CHalcyonSystemShim", path: "Sources/Shims/CHalcyonSystemShim"),
    shim("CHalcyonTIFFShim", over: "CHalcyonTIFF"),
    shim("CHalcyonXMLShim", over: "CHalcyonXML"),
  ],
  swiftLanguageModes: [.v6]
)

// `make bench` and `make bench-fleet` build these, which no test runs.
if isChecked { package.targets.removeAll { $0.name.hasPrefix("halcyon-bench-") } }

// `make check` sets this: it tests each module, and leaves to `make test` the library as a whole and its windows.
if Context.environment["HALCYON_QUICK"] == "1" {
  let whole: Set = ["HalcyonTests", "HalcyonGTKTests", "halcyon-gtk-scenes"]
  package.targets.removeAll { whole.contains($0.name) }
}

if usesStandIns {
  let formats: [SwiftSetting] = ["AVIF", "HEIF", "JXL"].map { .define($0) }

  /// A module with the name and the declarations of one of Apple's.
  func framework(_ name: String, dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = []) -> Target {
    module(name, dependencies: dependencies, path: "Tests/AppleStandIns/Sources/\(name)", settings: settings)
  }

  // What the modules use on Apple's platforms, in addition to their libraries on Linux.
  let frameworks: [String: [Target.Dependency]] = [
    "HalcyonImaging": ["CoreGraphics"], "HalcyonCodecs": ["CoreGraphics", "ImageIO"],
    "Halcyon": ["Network"],
    "HalcyonApple": ["Accessibility", "ObjectiveC", "CoreGraphics", "QuartzCore", "SwiftUI", "UIKit", "AppKit"],
  ]
  let unused = ["HalcyonGTK", "HalcyonBackend", "HalcyonLogging", "HalcyonMetrics", "halcyon-"]
  let suites = ["HalcyonCodecsTests", "HalcyonTransportTests"]
  package.targets.removeAll { target in
    unused.contains { target.name.hasPrefix($0) } && target.name != "halcyon-svg-helper"
      || target.name == "HalcyonTestDoubles"
      || target.type == .test && !suites.contains(target.name)
  }
  for target in package.targets {
    target.dependencies += frameworks[target.name] ?? []
    if target.name == "HalcyonCodecsTests" { target.swiftSettings? += formats }
  }
  package.targets += [
    framework("Accessibility"),
    framework("ObjectiveC"),
    framework("CoreGraphics"),
    framework("Network"),
    framework("QuartzCore", dependencies: ["CoreGraphics", "ObjectiveC"]),
    framework("UIKit", dependencies: ["CoreGraphics", "QuartzCore", "ObjectiveC"]),
    framework("AppKit", dependencies: ["CoreGraphics", "QuartzCore", "ObjectiveC"]),
    framework("SwiftUI", dependencies: ["Accessibility", "CoreGraphics", "UIKit", "AppKit"]),
    // ImageIO works over the codecs for Linux: the same sources once more, through a symbolic link.
    framework("ImageIO", dependencies: ["CoreGraphics", "HalcyonImaging", "LinuxCodecs"]),
    framework(
      "LinuxCodecs",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "CHalcyonLCMS", "CHalcyonSPNG", "CHalcyonWebP", "CHalcyonZimg",
        "CHalcyonZlib", "CHalcyonJPEGShim", "CHalcyonSystemShim",
        "CHalcyonTIFFShim", "CHalcyonAVIF", "CHalcyonDE265", "CHalcyonHEIF", "CHalcyonJXL",
      ], settings: formats),
    framework("AppleProgram", dependencies: ["HalcyonApple", "SwiftUI", "UIKit", "AppKit"]),
    .executableTarget(
      name: "PhoneGallery", dependencies: ["HalcyonApple", "SwiftUI", "UIKit"] + halcyon,
      path: "Examples/PhoneGallery/Sources", swiftSettings: swiftSettings),
    .testTarget(
      name: "HalcyonAppleTests",
      dependencies: [
        "HalcyonApple", "HalcyonViews", "HalcyonTesting", "HalcyonTestSupport", "HalcyonTestTraits", "Accessibility",
        "ImageIO",
        "QuartzCore", "SwiftUI", "UIKit", "AppKit",
      ] + halcyon,
      // Otherwise Swift Testing looks for modules that connect it with Apple's.
      swiftSettings: swiftSettings + [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
  ]
  (package.products, package.dependencies, package.traits) = ([], [], [])
}
