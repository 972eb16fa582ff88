import HalcyonImaging

/// The changes of colours and sharpness, in the order of imgproxy.
enum ColorPlan {
  static func processors(_ options: ProcessingOptions) -> [any ImageProcessor] {
    var processors: [any ImageProcessor] = []
    if options.brightness != 0 { processors.append(BrightnessProcessor(offset: options.brightness)) }
    if options.contrast != 1 { processors.append(.contrast(options.contrast)) }
    if options.saturation != 1 { processors.append(.saturation(options.saturation)) }
    if options.blur > 0 { processors.append(.blur(radius: options.blur)) }
    if options.sharpen > 0 { processors.append(SharpenLightnessProcessor(sigma: options.sharpen)) }
    if options.pixelate > 1 { processors.append(.pixelate(blockSize: options.pixelate)) }
    return processors
  }
}
