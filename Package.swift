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

/// Apple's systems bring what libcurl is used for elsewhere.
let offApple = TargetDependencyCondition.when(platforms: [.linux, .android, .openbsd])

/// A library of the system that only those need who switch its trait on.
func traitLibrary(_ name: String, trait: String) -> Target.Dependency {
  .target(name: name, condition: .when(traits: [trait]))
}

/// A target of ours with the strict settings; `path` only where the folder is not named after the target.
func module(
  _ name: String, dependencies: [Target.Dependency] = [], path: String? = nil, resources: [Resource]? = nil
) -> Target {
  .target(name: name, dependencies: dependencies, path: path, resources: resources, swiftSettings: swiftSettings)
}

func suite(
  _ name: String, dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings)
}

/// A C library of the system, found through pkg-config.
///
/// A library that `isInDefaultPaths` is found without pkg-config on Linux, because its file has only flags that SwiftPM
/// refuses with a warning.
func system(_ name: String, pkgConfig: String, debian: String, brew: String, isInDefaultPaths: Bool = false) -> Target {
  #if os(Linux)
  let pkgConfig = isInDefaultPaths ? nil : pkgConfig
  #endif
  return .systemLibrary(
    name: name, path: "Sources/Shims/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([debian]), .brew([brew])])
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
    .library(name: "HalcyonTesting", targets: ["HalcyonTesting"]),
  ],
  traits: [
    .trait(name: "AVIF", description: "Reads and writes AVIF through libavif."),
    .trait(name: "HEIF", description: "Reads HEIC and HEIF through libheif."),
    .trait(name: "JXL", description: "Reads and writes JPEG XL through libjxl."),
    .trait(name: "SVG", description: "Draws SVG through librsvg."),
    .trait(name: "GTK", description: "Shows images in GTK 4 windows; the product is HalcyonGTK."),
  ],
  targets: [
    // The layers, from the lowest up: a module imports only those above it in this list.
    module("HalcyonSupport", dependencies: ["SystemShim"]),
    module("HalcyonImaging", dependencies: ["HalcyonSupport"]),
    module("HalcyonHTTP", dependencies: ["HalcyonSupport"]),
    module(
      "HalcyonCache",
      dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "CSQLite", "CZlib", "SystemShim"]),
    module("HalcyonPipeline", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache"]),
    module("HalcyonViews", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonPipeline"]),

    // Beside the layers: what moves the bytes, and what decodes and encodes them.
    module(
      "HalcyonCodecs",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "CLCMS", "CSPNG", "CWebP", "CZimg", "CZlib", "JPEGShim", "SystemShim",
        "TIFFShim",
        traitLibrary("CAVIF", trait: "AVIF"), traitLibrary("CHEIF", trait: "HEIF"),
        traitLibrary("CJXL", trait: "JXL"), traitLibrary("CRSVG", trait: "SVG"),
        traitLibrary("XMLShim", trait: "SVG"),
      ]),
    module(
      "HalcyonTransport",
      dependencies: ["HalcyonSupport", "HalcyonHTTP", "CZlib", .target(name: "CurlShim", condition: offApple)]),

    // On top: the standard wiring, the toolkits, and doubles for tests.
    module(
      "Halcyon",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline", "HalcyonCodecs",
        "HalcyonTransport",
      ]),
    module(
      "HalcyonGTK",
      dependencies: [
        "Halcyon", "HalcyonViews", "HalcyonSupport", "HalcyonImaging", "HalcyonCache", "HalcyonPipeline",
        traitLibrary("CGTK", trait: "GTK"),
      ]),
    module("HalcyonApple", dependencies: ["Halcyon", "HalcyonViews"]),
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

    module("TestSupport", path: "Tests/Support", resources: [.copy("Photos")]),
    // Not in TestSupport, which other packages compile from its sources.
    module("CompressionSupport", dependencies: ["CZlib"], path: "Tests/CompressionSupport"),
    suite("SupportTests", dependencies: ["TestSupport"]),
    suite(
      "HalcyonTransportTests",
      dependencies: [
        "HalcyonTransport", "HalcyonHTTP", "HalcyonSupport", "TestSupport", "CompressionSupport",
        .target(name: "CurlShim", condition: offApple),
      ],
      resources: [.copy("Certificates")]),
    suite("HalcyonTests", dependencies: ["Halcyon", "HalcyonTesting", "TestSupport", "CompressionSupport"] + layers),
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
      dependencies: ["Halcyon", "HalcyonGTK", "TestSupport", traitLibrary("CGTK", trait: "GTK")] + layers,
      path: "Tests/GTKScenes",
      swiftSettings: swiftSettings),

    system("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev", brew: "sqlite"),
    system("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev", brew: "zlib"),
    system("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev", brew: "curl"),
    system("CJPEG", pkgConfig: "libjpeg", debian: "libjpeg62-turbo-dev", brew: "jpeg-turbo"),
    system("CSPNG", pkgConfig: "spng", debian: "libspng-dev", brew: "libspng"),
    system("CZimg", pkgConfig: "zimg", debian: "libzimg-dev", brew: "zimg"),
    system("CWebP", pkgConfig: "libwebpdemux", debian: "libwebp-dev", brew: "webp"),
    system("CTIFF", pkgConfig: "libtiff-4", debian: "libtiff-dev", brew: "libtiff"),
    system("CLCMS", pkgConfig: "lcms2", debian: "liblcms2-dev", brew: "little-cms2"),
    system("CAVIF", pkgConfig: "libavif", debian: "libavif-dev", brew: "libavif", isInDefaultPaths: true),
    system("CHEIF", pkgConfig: "libheif", debian: "libheif-dev", brew: "libheif"),
    system("CJXL", pkgConfig: "libjxl", debian: "libjxl-dev", brew: "jpeg-xl", isInDefaultPaths: true),
    system("CRSVG", pkgConfig: "librsvg-2.0", debian: "librsvg2-dev", brew: "librsvg"),
    system("CXML", pkgConfig: "libxml-2.0", debian: "libxml2-dev", brew: "libxml2"),
    system("CGTK", pkgConfig: "gtk4", debian: "libgtk-4-dev", brew: "gtk4"),
    shim("CurlShim", over: "CCurl"),
    shim("JPEGShim", over: "CJPEG"),
    .target(name: "SystemShim", path: "Sources/Shims/SystemShim"),
    shim("TIFFShim", over: "CTIFF"),
    shim("XMLShim", over: "CXML"),

    suite(
      "HalcyonCodecsTests", dependencies: ["HalcyonCodecs", "HalcyonImaging", "HalcyonSupport", "TestSupport"],
      resources: [.copy("Fixtures")]),
  ],
  swiftLanguageModes: [.v6]
)
