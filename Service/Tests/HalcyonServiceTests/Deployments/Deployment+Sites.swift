import Foundation
import Halcyon
import HalcyonTestSupport

/// Deployments of web sites.
extension Deployment {
  static let sites = [
    Deployment(name: "presets only") { _ in
      [
        "IMGPROXY_ONLY_PRESETS": "true", "IMGPROXY_KEY": key, "IMGPROXY_SALT": salt,
        "IMGPROXY_PRESETS": "default=q:60,thumb=rs:fill:20:20,sharp=sh:0.7/f:jpg",
      ]
    } asks: { place in
      [
        Ask(path: try signed("/thumb/plain/\(place.image)"), type: "image/png"),
        Ask(path: try signed("/thumb:sharp/plain/\(place.image)"), type: "image/jpeg"),
        Ask(path: try signed("/w:100/plain/\(place.image)"), status: 400),
        Ask(path: "/unsigned/thumb/plain/\(place.image)", status: 403),
      ]
    },
    Deployment(name: "Rails with a base URL, a prefix and a watermark") { place in
      [
        "IMGPROXY_KEY": key, "IMGPROXY_SALT": salt, "IMGPROXY_BASE_URL": "\(place.base)/public/",
        "IMGPROXY_PATH_PREFIX": "/img",
        "IMGPROXY_WATERMARK_DATA": try Quadrants.png(width: 8, height: 8).base64EncodedString(),
        "IMGPROXY_WATERMARK_OPACITY": "0.7", "IMGPROXY_QUALITY": "85", "IMGPROXY_FORMAT_QUALITY": "webp=80,avif=60",
      ]
    } asks: { place in
      let path = "/rs:fill:40:40/wm:0.5:soea:2:2:0.2/\(encoded("cat.png")).webp"
      return [
        Ask(path: try signed(path, prefix: "/img"), type: "image/webp"), Ask(path: try signed(path), status: 404),
        Ask(path: try signed("/g:sm/c:30:30/plain/\(place.image)@jpg", prefix: "/img"), type: "image/jpeg"),
        Ask(path: "/health"),
      ]
    },
    Deployment(name: "a CDN before it, with client hints") { _ in
      [
        "IMGPROXY_ENABLE_CLIENT_HINTS": "true", "IMGPROXY_AUTO_AVIF": "true", "IMGPROXY_AUTO_WEBP": "true",
        "IMGPROXY_ENFORCE_WEBP": "true", "IMGPROXY_TTL": "600", "IMGPROXY_CACHE_CONTROL_PASSTHROUGH": "true",
        "IMGPROXY_SET_CANONICAL_HEADER": "true", "IMGPROXY_ALLOW_ORIGIN": "https://a.example,https://b.example",
      ]
    } asks: { place in
      let hints: HTTPHeaders = ["Accept": "image/webp", "Width": "40", "DPR": "2", "Origin": "https://b.example"]
      return [
        Ask(
          path: "/_/rs:fit/plain/\(place.image)", headers: hints, type: "image/webp",
          fields: [
            ("Cache-Control", "max-age=60"), ("Link", "<\(place.image)>; rel=\"canonical\""),
            ("Access-Control-Allow-Origin", "https://b.example"),
            ("Vary", "Accept, Sec-CH-DPR, DPR, Sec-CH-Width, Width, Origin"),
          ])
      ]
    },
    Deployment(name: "sources with wildcards") { place in
      [
        "IMGPROXY_ALLOWED_SOURCES": "http://127.0.*.1:\(place.origin.port)/pub*/,https://*.example.com/a/*/",
        "IMGPROXY_MAX_REDIRECTS": "30", "IMGPROXY_SKIP_PROCESSING_FORMATS": "mp4,gif,svg",
        "IMGPROXY_MAX_ANIMATION_FRAMES": "0",
      ]
    } asks: { place in
      let other = place.origin.serve("/private/cat.png", .body(try Quadrants.png()))
      let moved = place.origin.serve("/public/moved.png", .redirect(to: other.absoluteString))
      return [
        Ask(path: "/_/w:40/plain/\(place.image)", type: "image/png"),
        Ask(path: "/_/w:40/plain/\(other.absoluteString)", status: 403),
        Ask(path: "/_/w:40/plain/\(moved.absoluteString)", status: 403),
        Ask(path: "/_/w:40/plain/https://example.com/a/b/c.png", status: 403),
      ]
    },
    Deployment(name: "keys in a file, and a secret for the CDN") { place in
      let file = place.folder.appending(path: "imgproxy.env")
      try Data("export IMGPROXY_KEY=\"\(key)\"\nIMGPROXY_SALT='\(salt)'\nIMGPROXY_SECRET=open\n".utf8).write(to: file)
      return ["IMGPROXY_ENV_LOCAL_FILE_PATH": file.path, "IMGPROXY_USE_LAST_MODIFIED": "true"]
    } asks: { place in
      let path = "/w:40/plain/\(place.image)"
      return [
        Ask(path: try signed(path), headers: ["Authorization": "Bearer open"]),
        Ask(path: try signed(path), status: 403),
        Ask(path: "/_" + path, headers: ["Authorization": "Bearer open"], status: 403), Ask(path: "/health"),
      ]
    },
    Deployment(name: "a fallback image, and errors that a CDN understands") { _ in
      [
        "IMGPROXY_TIMEOUT": "10", "IMGPROXY_FALLBACK_IMAGE_HTTP_CODE": "0", "IMGPROXY_FALLBACK_IMAGE_TTL": "0",
        "IMGPROXY_TTL": "300", "IMGPROXY_FALLBACK_IMAGE_DATA": try Quadrants.png().base64EncodedString(),
      ]
    } asks: { place in
      let forbidden = place.origin.serve("/forbidden.png", .status(403))
      return [
        Ask(
          path: "/_/w:40/plain/\(place.base)/missing.png", status: 404, type: "image/png",
          fields: [("Cache-Control", "public, max-age=300"), ("Fallback-Image", "1")]),
        Ask(path: "/_/w:40/plain/\(forbidden.absoluteString)", status: 403, type: "image/png"),
      ]
    },
    Deployment(name: "Firebase Storage, and a site that replaces its images") { place in
      [
        "IMGPROXY_ALLOWED_SOURCES": "\(place.base)/v0/b/app.appspot.com/o/", "IMGPROXY_MAX_REDIRECTS": "2",
        "IMGPROXY_LOG_LEVEL": "INFO",
      ]
    } asks: { place in
      let path = "/v0/b/app.appspot.com/o/photos%2Fcat.png"
      let count = Monitor(0)
      place.origin.serve(path) { _ in
        count.update { $0 += 1 }
        return .body((try? Quadrants.png(height: 40 * count.read { $0 })) ?? Data())
      }
      let source = encoded("\(place.base)\(path)?alt=media&token=a")
      return [
        Ask(path: "/_/w:40/cb:v1/\(source)", type: "image/png", fields: [("Cache-Control", "no-cache")]),
        Ask(path: "/_/w:40/cb:v2/\(source)", fields: [("Cache-Status", "halcyon; fwd=miss")]),
        Ask(path: "/_/w:40/\(encoded("\(place.base)/v0/b/app.appspot.com/o%2Fphotos%2F..%2Fcat.png"))", status: 400),
        Ask(path: "/_/w:40/\(encoded("\(place.base)/v0/b/other/o/cat.png"))", status: 403),
      ]
    },
    Deployment(name: "WordPress with names of files in its URLs") { place in
      [
        "IMGPROXY_BASE64_URL_INCLUDES_FILENAME": "true", "IMGPROXY_RETURN_ATTACHMENT": "false",
        "IMGPROXY_URL_REPLACEMENTS": "cdn://*/=\(place.base)/${1}/;old://=\(place.base)/",
        "IMGPROXY_ALLOWED_PROCESSING_OPTIONS": "rs,q,f", "IMGPROXY_STRIP_METADATA": "false",
        "IMGPROXY_PREFERRED_FORMATS": "jpeg,png,tiff",
      ]
    } asks: { place in
      [
        Ask(path: "/_/rs:fit:40/q:70/\(encoded("cdn://public/cat.png"))/a-cat.png", type: "image/png"),
        Ask(path: "/_/rs:fit:40/f:webp/\(encoded("old://public/cat.png"))/a-cat.webp", type: "image/webp"),
        Ask(path: "/_/blur:3/\(encoded(place.image))/a-cat.png", status: 400),
      ]
    },
  ]
}
