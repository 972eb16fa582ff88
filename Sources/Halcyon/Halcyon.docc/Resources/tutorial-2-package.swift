// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Photos",
  dependencies: [.package(url: "https://github.com/OWNER/halcyon.git", branch: "main", traits: ["GTK"])],
  targets: [
    .executableTarget(name: "Photos", dependencies: [.product(name: "HalcyonGTK", package: "halcyon")])
  ])
