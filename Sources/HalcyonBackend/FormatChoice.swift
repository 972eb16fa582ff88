public import HalcyonImaging

/// Chooses the format of an image by the `Accept` field of a request (RFC 9110, 12.5.1).
///
/// ```swift
/// let format = FormatChoice([.avif, .webp]).format(accepting: "image/webp,*/*;q=0.8") ?? .jpeg
/// let file = try await pipeline.encodedResponse(for: ImageRequest(url: url), as: format)
/// let (status, headers) = file.httpHead(varying: ["Accept"])
/// ```
public struct FormatChoice: Hashable, Sendable {
  /// The formats to choose from, the best first.
  public let formats: [ImageFormat]

  /// Creates a choice.
  ///
  /// - Parameter formats: Formats that the pipeline can write, the best first.
  public init(_ formats: [ImageFormat]) { self.formats = formats }

  /// The format to which the client gives the highest weight; of several with the same weight the first.
  ///
  /// - Parameter accept: The `Accept` field, or several joined by commas.
  /// - Returns: `nil` if the client names none of the formats. `*/*` and `image/*` do not name any: browsers send them and
  ///   nothing else for formats that they do not know.
  public func format(accepting accept: String?) -> ImageFormat? {
    guard let accept else { return nil }
    var weights: [String: Double] = [:]
    for element in accept.utf8.split(separator: UInt8(ascii: ",")) {
      guard let (type, weight) = Self.weightedType(Substring(element)), weights[type] == nil else { continue }
      weights[type] = weight
    }
    var best: (format: ImageFormat, weight: Double)?
    for format in formats {
      if let weight = weights[format.mediaType], weight > best?.weight ?? 0 { best = (format, weight) }
    }
    return best?.format
  }

  /// The media type of an element and its weight, which is 1 if it has none or an invalid one.
  private static func weightedType(_ element: Substring) -> (type: String, weight: Double)? {
    let parts = element.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
      String(Substring(part)).filter { $0 != " " && $0 != "\t" }.lowercased()
    }
    guard let type = parts.first, !type.isEmpty else { return nil }
    let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
    return (type, weight)
  }
}
