import HalcyonProcessing

extension OptionParser {
  /// The options of a path, and a text that is the same for paths with the same result.
  ///
  /// - Parameter hints: The client's hints, which the options override.
  func options(
    of path: ImagePath, hints: ClientHints? = nil
  ) throws(OptionError) -> (options: ProcessingOptions, identifier: String) {
    guard let hints else { return try options(path.options, fileExtension: path.fileExtension) }
    let defaults = hints.options
    let (options, identifier) = try options(path.options, fileExtension: path.fileExtension, over: defaults)
    let prefix = "hints:\(defaults.dpr):\(defaults.width)"
    return (options, identifier.isEmpty ? prefix : "\(prefix)/\(identifier)")
  }
}
