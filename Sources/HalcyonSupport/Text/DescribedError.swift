public import Foundation

/// An error whose localized description, which alerts and documents show, is its description.
public protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
  /// Same as `description`.
  public var errorDescription: String? { description }
}
