/// Set by tests.
@MainActor public var playsAnimatedImages = true

@MainActor
public func AXAnimatedImagesEnabled() -> Bool { playsAnimatedImages }
