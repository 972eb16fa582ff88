import Foundation
import Halcyon
import HalcyonTestSupport

/// Deployments as a part of a platform.
extension Deployment {
  static let all = platforms + containers + storages + sites

  /// Platforms for containers: the variables of the image of the service, and those of the platform.
  private static let containers = [
    ("Cloud Run", ["PORT": "8080", "K_SERVICE": "images", "K_REVISION": "images-1"], "[::]:8080"),
    ("Heroku", ["PORT": "31415", "DYNO": "web.1"], "[::]:31415"),
    ("Railway", ["PORT": "3000", "RAILWAY_PRIVATE_DOMAIN": "images.railway.internal"], "[::]:3000"),
    ("Fly", ["FLY_APP_NAME": "images", "FLY_PRIVATE_IP": "fdaa::3"], "[::]:8080"),
    ("Render", ["PORT": "10000", "RENDER": "true"], "[::]:10000"),
  ].map { name, variables, address in
    Deployment(name: name, address: address) { _ in
      let own = ["IMGPROXY_BIND": ":8080", "IMGPROXY_KEY": key, "IMGPROXY_SALT": salt]
      return own.merging(variables) { $1 }
    } asks: { place in
      [
        Ask(path: try signed("/w:40/plain/\(place.image)"), type: "image/png"), Ask(path: "/health"),
        Ask(path: "/_/w:40/plain/\(place.image)", status: 403),
      ]
    }
  }

  private static let platforms = [
    Deployment(name: "Supabase with files") { _ in
      [
        "IMGPROXY_BIND": ":5001", "IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/", "IMGPROXY_USE_ETAG": "true",
        "IMGPROXY_ENABLE_WEBP_DETECTION": "true", "IMGPROXY_MAX_SRC_RESOLUTION": "16.8",
      ]
    } asks: { place in
      let folder = place.folder.appending(path: "var/lib/storage/stub/stub/photos/cat.png")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: "3b1f8a52-9f8e-4a53-8e0c-0f4e6f1c2a77")
      try Quadrants.png().write(to: file)
      // The file's own path begins with a slash, so there are four.
      let source = "local:///" + file.path
      return [
        Ask(path: "/public/resize:fill:40:40/plain/\(source)", headers: webp, type: "image/webp"),
        Ask(path: "/public/height:30/resizing_type:fit/quality:60/plain/\(source)", type: "image/png"),
        Ask(path: "/health"),
      ]
    },
    Deployment(name: "Supabase with S3") { _ in
      [
        "IMGPROXY_WRITE_TIMEOUT": "30", "IMGPROXY_BIND": ":8080", "IMGPROXY_USE_ETAG": "true",
        "IMGPROXY_AUTO_WEBP": "true", "IMGPROXY_REQUESTS_QUEUE_SIZE": "10", "IMGPROXY_CONCURRENCY": "2",
      ]
    } asks: { place in
      // The storage's API signs the URL of the object itself.
      _ = place.origin.serve("/supabase/stub/photos/cat.png/v1", .body(try Quadrants.png()))
      let source = "\(place.base)/supabase/stub/photos/cat.png/v1?X-Amz-Algorithm=AWS4&X-Amz-Credential=a%2Fb"
      return [
        Ask(
          path: "/public/width:40/height:40/resizing_type:fill/plain/\(escaped(source))", headers: webp,
          type: "image/webp")
      ]
    },
    Deployment(
      name: "Coolify's next-image",
      ignoredVariables: ["IMGPROXY_URL"]
    ) { _ in
      [
        "IMGPROXY_URL": "http://imgproxy:8080", "IMGPROXY_ENABLE_WEBP_DETECTION": "true",
        "IMGPROXY_ENABLE_AVIF_DETECTION": "false", "IMGPROXY_JPEG_PROGRESSIVE": "true", "IMGPROXY_USE_ETAG": "true",
      ]
    } asks: { place in
      [
        Ask(path: "/_/resize:fit:640:0/quality:75/plain/\(place.image)", headers: webp, type: "image/webp"),
        Ask(path: "/_/width:32/q:75/plain/\(escaped(place.image))", type: "image/png"),
      ]
    },
    Deployment(
      name: "Kubernetes with a service that is called imgproxy",
      ignoredVariables: [
        "IMGPROXY_PORT", "IMGPROXY_PORT_80_TCP", "IMGPROXY_PORT_80_TCP_ADDR", "IMGPROXY_PORT_80_TCP_PORT",
        "IMGPROXY_PORT_80_TCP_PROTO", "IMGPROXY_SERVICE_HOST", "IMGPROXY_SERVICE_PORT", "IMGPROXY_SERVICE_PORT_HTTP",
      ]
    ) { _ in
      [
        "IMGPROXY_SERVICE_HOST": "10.96.3.4", "IMGPROXY_SERVICE_PORT": "80", "IMGPROXY_SERVICE_PORT_HTTP": "80",
        "IMGPROXY_PORT": "tcp://10.96.3.4:80", "IMGPROXY_PORT_80_TCP": "tcp://10.96.3.4:80",
        "IMGPROXY_PORT_80_TCP_PROTO": "tcp", "IMGPROXY_PORT_80_TCP_PORT": "80",
        "IMGPROXY_PORT_80_TCP_ADDR": "10.96.3.4",
        "HALCYON_SERVE_KEYS": key, "HALCYON_SERVE_SALTS": salt, "IMGPROXY_HEALTH_CHECK_PATH": "/healthz",
      ]
    } asks: { place in
      [
        Ask(path: "/insecure/w:40/plain/\(place.image)", status: 403),
        Ask(path: try signed("/w:40/plain/\(place.image)"), type: "image/png"), Ask(path: "/health"),
        Ask(path: "/healthz"),
      ]
    },
  ]

  private static let storages = [
    Deployment(name: "MinIO beside it in compose") { place in
      [
        "IMGPROXY_KEY": key, "IMGPROXY_SALT": salt, "IMGPROXY_USE_S3": "true", "IMGPROXY_S3_ENDPOINT": place.base,
        "AWS_ACCESS_KEY_ID": "minioadmin", "AWS_SECRET_ACCESS_KEY": "minioadmin",
        "IMGPROXY_S3_DENIED_BUCKETS": "private",
      ]
    } asks: { place in
      _ = place.origin.serve("/photos/2026/cat%20one.png", .body(try Quadrants.png()))
      return [
        Ask(path: try signed("/rs:fit:40:40/plain/s3://photos/2026/cat%20one.png@webp"), type: "image/webp"),
        Ask(path: try signed("/rs:fit:40:40/\(encoded("s3://photos/2026/cat one.png")).jpg"), type: "image/jpeg"),
        Ask(path: try signed("/w:1/plain/s3://private/2026/cat.png"), status: 403),
        Ask(path: try signed("/w:1/plain/s3://photos/missing.png"), status: 404),
      ]
    },
    Deployment(name: "R2 with buckets of its own") { place in
      [
        "IMGPROXY_USE_S3": "1", "IMGPROXY_S3_REGION": "auto", "IMGPROXY_S3_ENDPOINT": place.base,
        "IMGPROXY_S3_ENDPOINT_USE_PATH_STYLE": "true", "IMGPROXY_S3_ALLOWED_BUCKETS": "assets",
        "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "IMGPROXY_ALLOWED_SOURCES": "s3://",
      ]
    } asks: { place in
      _ = place.origin.serve("/assets/100%2525.png", .body(try Quadrants.png()))
      return [
        Ask(path: "/_/w:40/\(encoded("s3://assets/100%25.png"))", type: "image/png"),
        Ask(path: "/_/w:40/plain/s3://other/a.png", status: 403),
        Ask(path: "/_/w:40/plain/\(place.image)", status: 403),
      ]
    },
    Deployment(name: "a folder of releases, with a link to the current one") { place in
      let root = place.folder.appending(path: "www")
      let release = root.appending(path: "releases/42/images")
      try FileManager.default.createDirectory(at: release, withIntermediateDirectories: true)
      try Quadrants.png().write(to: release.appending(path: "cat.png"))
      try FileManager.default.createSymbolicLink(
        atPath: root.appending(path: "current").path, withDestinationPath: "releases/42")
      return ["IMGPROXY_LOCAL_FILESYSTEM_ROOT": root.path, "IMGPROXY_ALLOWED_SOURCES": "local:///current/"]
    } asks: { place in
      [
        Ask(path: "/_/w:40/plain/local:///current/images/cat.png", type: "image/png"),
        Ask(path: "/_/w:40/plain/local:///current//images//cat.png", type: "image/png"),
        Ask(path: "/_/w:40/plain/local:///releases/42/images/cat.png", status: 403),
        Ask(path: "/_/w:40/plain/\(place.image)", status: 403),
      ]
    },
  ]
}
