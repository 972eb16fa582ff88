// swift-tools-version: 6.3
import PackageDescription

let warningsAreErrors = Context.environment["HALCYON_WARNINGS_AS_ERRORS"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// Set by `make bench-downsample`: libvips has a hundred dependencies that nothing else needs.
let comparesWithVips = Context.environment["HALCYON_PEER"] == "libvips"

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")
let halcyonImaging = Target.Dependency.product(name: "HalcyonImaging", package: "Halcyon")

let vipsTargets: [Target] = [
  .executableTarget(
    name: "halcyon-downsample", dependencies: [halcyon, halcyonImaging, "PeerShim"],
    swiftSettings: swiftSettings),
  .target(name: "PeerShim", dependencies: ["BenchVips", "BenchJPEG", "BenchWebP"]),
  .systemLibrary(name: "BenchVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"]), .brew(["vips"])]),
  .systemLibrary(
    name: "BenchJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"]), .brew(["jpeg-turbo"])]),
  .systemLibrary(name: "BenchWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),
]

let package = Package(
  name: "HalcyonBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Halcyon", path: "..", traits: comparesWithVips ? ["AVIF", "HEIF", "ISAL"] : [.defaults])
  ],
  targets: [
    .executableTarget(
      name: "halcyon-bench",
      dependencies: [
        halcyon, halcyonImaging, .product(name: "HalcyonTesting", package: "Halcyon"), "BenchSQLite", "CMalloc",
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "halcyon-cold-loads",
      dependencies: [halcyon, halcyonImaging, .product(name: "HalcyonTesting", package: "Halcyon")],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "cache-sim", dependencies: [halcyon, "CMalloc"],
      swiftSettings: swiftSettings),
    .systemLibrary(
      name: "BenchSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(name: "CMalloc"),
  ] + (comparesWithVips ? vipsTargets : []),
  swiftLanguageModes: [.v6]
)
