// swift-tools-version: 6.3
import PackageDescription

/// `make check` and `make test` set this: warnings are errors, and the library has all traits, as `../Package.swift` says.
let isChecked = Context.environment["HALCYON_CHECKS"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (isChecked ? [.treatAllWarnings(as: .error)] : [])

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")
/// A disk cache with a folder.
let halcyonCache = Target.Dependency.product(name: "HalcyonCache", package: "Halcyon")
/// The encoders.
let halcyonImaging = Target.Dependency.product(name: "HalcyonImaging", package: "Halcyon")
let halcyonGTK = Target.Dependency.product(name: "HalcyonGTK", package: "Halcyon")

let package = Package(
  name: "HalcyonExamples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Halcyon", path: "..", traits: isChecked ? [] : ["GTK", "AVIF", "JXL", "SVG"])],
  targets: [
    .executableTarget(
      name: "halcyon-gallery", dependencies: ["GalleryViews", "GalleryOrigin", halcyon, halcyonCache, halcyonGTK],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "halcyon-bench-views",
      dependencies: ["GalleryViews", "GalleryOrigin", halcyon, halcyonCache, halcyonGTK, halcyonImaging],
      swiftSettings: swiftSettings),
    .executableTarget(name: "halcyon-list", dependencies: [halcyonGTK], swiftSettings: swiftSettings),
    .executableTarget(name: "halcyon-thumbnailer", dependencies: [halcyon], swiftSettings: swiftSettings),
    // The window of the gallery.
    .target(name: "GalleryViews", dependencies: [halcyon, halcyonGTK], swiftSettings: swiftSettings),
    // The web server and its images.
    .target(
      name: "GalleryOrigin",
      dependencies: [halcyon, halcyonImaging, .product(name: "HalcyonTestSupport", package: "Halcyon")],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
