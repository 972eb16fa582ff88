import Foundation
import Halcyon

/// The images of a sitemap (sitemaps.org, with Google's extension for images).
enum Sitemap {
  /// The most bytes of one sitemap, as its standard has it.
  private static let byteLimit = 50 << 20
  /// The most sitemaps that indexes may lead to.
  private static let countLimit = 1000

  /// The URLs of the images in a sitemap, and in those that an index leads to.
  ///
  /// - Parameter place: A URL or a file.
  static func images(in place: String) async throws -> [String] {
    let transport = CurlTransport()
    var pending = [place]
    var seen: Set<String> = [place]
    var images: [String] = []
    while let place = pending.popLast() {
      let page = SitemapPage(String(decoding: try await contents(of: place, transport), as: UTF8.self))
      guard page.isSitemap else { throw CacheError.badSitemap(place, reason: "it has neither urlset nor sitemapindex") }
      images += page.images
      for next in page.sitemaps where seen.count < countLimit && seen.insert(next).inserted { pending.append(next) }
    }
    return images
  }

  private static func contents(of place: String, _ transport: CurlTransport) async throws -> Data {
    guard let url = URL(string: place), ["http", "https"].contains(url.scheme?.lowercased()) else {
      do {
        return try Data(contentsOf: URL(filePath: place))
      } catch {
        throw CacheError.unreadable(place, reason: (error as NSError).localizedDescription)
      }
    }
    do {
      return try await download(url, transport)
    } catch let error as TransportError {
      throw CacheError.unreadable(place, reason: "\(error)")
    }
  }

  private static func download(_ url: URL, _ transport: CurlTransport) async throws -> Data {
    var url = url
    for _ in 0..<5 {
      let response = try await transport.response(to: TransportRequest(url: url))
      if (300..<400).contains(response.status), let location = response.headers["Location"],
        let next = URL(string: location, relativeTo: url)?.absoluteURL, next.scheme?.hasPrefix("http") == true
      {
        url = next
        continue
      }
      guard response.status == 200 else {
        throw CacheError.unreadable(url.absoluteString, reason: "the server responded with HTTP \(response.status)")
      }
      var data = Data()
      for try await piece in response.body {
        data.append(piece)
        guard data.count <= byteLimit else {
          throw CacheError.badSitemap(url.absoluteString, reason: "it has more than \(byteLimit) bytes")
        }
      }
      return data
    }
    throw CacheError.unreadable(url.absoluteString, reason: "it is redirected more than 5 times")
  }
}

/// The URLs in the text of one sitemap. Elements are found by name, whatever surrounds them: nothing else is needed.
struct SitemapPage {
  let isSitemap: Bool
  /// The `image:loc` of pages, and the `loc` of pages that are named like an image.
  private(set) var images: [String] = []
  /// The sitemaps of an index.
  private(set) var sitemaps: [String] = []

  init(_ text: String) {
    let isIndex = text.contains("<sitemapindex")
    isSitemap = isIndex || text.contains("<urlset")
    var rest = text[...]
    while let start = rest.range(of: "loc>") {
      let name = rest[..<start.lowerBound].suffix(8)
      rest = rest[start.upperBound...]
      guard !name.hasSuffix("/"), !name.hasSuffix("/image:"), let end = rest.firstIndex(of: "<") else { continue }
      let url = Self.unescaped(rest[..<end]).trimmingCharacters(in: .whitespacesAndNewlines)
      rest = rest[end...]
      if name.hasSuffix("<image:") {
        images.append(url)
      } else if name.hasSuffix("<") {
        if isIndex { sitemaps.append(url) } else if Self.isNamedLikeAnImage(url) { images.append(url) }
      }
    }
  }

  private static func isNamedLikeAnImage(_ url: String) -> Bool {
    URL(string: url).map { ImageFormat(fileExtension: $0.pathExtension) != nil } ?? false
  }

  private static func unescaped(_ text: Substring) -> String {
    var text = String(text)
    if text.hasPrefix("<![CDATA["), text.hasSuffix("]]>") { text = String(text.dropFirst(9).dropLast(3)) }
    for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
      text = text.replacing(entity, with: character)
    }
    return text
  }
}
