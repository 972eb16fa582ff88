import HalcyonImaging

/// Processors with all kinds of parameters.
enum SampleProcessors {
  static let line = ImageBorder(width: 1.5, color: PixelColor(red: 200, green: 10, blue: 90, alpha: 130))
  static let color = PixelColor(red: 250, green: 120, blue: 3, alpha: 140)

  static let all: [any ImageProcessor] =
    shapes + colors + mixtures + BlendMode.allCases.map { .overlay(color, blendMode: $0) }

  private static let shapes: [any ImageProcessor] = [
    .crop(width: 5, height: 3), .crop(width: 5, height: 3, anchor: .top), .crop(x: 0, y: 1, width: 5, height: 3),
    .crop(x: 0, y: 1, width: 3, height: 5), .flip(.horizontal), .flip(.vertical), .rotate(degrees: 90),
    .rotate(degrees: 33), .rotate(degrees: -33), .roundedCorners(radius: 4),
    .roundedCorners(CornerRadii(topLeft: 4)), .roundedCorners(CornerRadii(bottomRight: 4)),
    .roundedCorners(CornerRadii(4, unit: .fraction)), .roundedCorners(radius: 4, border: line),
    .roundedCorners(radius: 4, background: color), .circle(), .circle(border: line), .circle(background: color),
    .border(width: 2, color: color), .border(width: 2, color: .black), .padding(top: 2, left: 1),
    .padding(top: 1, left: 2), .extend(width: 50, height: 60), .extend(width: 50, height: 60, anchor: .top),
    .padding(top: 1), .crop(width: 5, height: 3, anchor: .smart), .background(color), .background(.black),
  ]

  private static let colors: [any ImageProcessor] = [
    .brightness(1.7), .brightness(0.3), BrightnessProcessor(offset: 60), BrightnessProcessor(offset: -60),
    .contrast(1.7), .contrast(0.3), .saturation(1.7), .grayscale,
    .exposure(stops: 1), .exposure(stops: -1), .invert, .tint(.black), .tint(color),
  ]

  private static let mixtures: [any ImageProcessor] = [
    .blur(radius: 0.4), .blur(radius: 4), .blur(radius: 90), .sharpen(), .sharpen(amount: 2), .sharpen(radius: 3),
    SharpenLightnessProcessor(sigma: 1), SharpenLightnessProcessor(sigma: 3), .trim(threshold: 60),
    .trim(threshold: 60, color: .black),
    .pixelate(blockSize: 4), .custom(identifier: "4") { $0 }, .custom(identifier: "pixelate 4") { $0 },
  ]

  static let withoutEffect: [any ImageProcessor] = [
    .crop(width: 99, height: 99), .crop(x: 0, y: 0, width: 21, height: 34), .rotate(degrees: 360),
    .roundedCorners(radius: 0), .border(width: 0, color: .black), .brightness(1), .contrast(1), .saturation(1),
    .exposure(stops: 0), .blur(radius: 0), .sharpen(amount: 0), .sharpen(radius: 0), .pixelate(blockSize: 1),
    .overlay(.clear, blendMode: .difference), .padding(), .extend(width: 0, height: 0),
    .crop(width: 99, height: 99, anchor: .smart),
    SharpenLightnessProcessor(sigma: 0.1), .trim(threshold: 255),
  ]

  static let invalid: [any ImageProcessor] = [
    .crop(width: 0, height: 1), .crop(x: 0, y: 0, width: 1, height: .min), .crop(x: 8, y: 0, width: 1, height: 1),
    .crop(x: .min, y: 0, width: 5, height: 5), .crop(x: .max, y: 0, width: .max, height: 5), .rotate(degrees: .nan),
    .rotate(degrees: .infinity), .roundedCorners(radius: -1), .roundedCorners(radius: .nan),
    .roundedCorners(radius: .infinity), .roundedCorners(CornerRadii(bottomLeft: -1)),
    .circle(border: ImageBorder(width: .nan, color: .black)), .border(width: -1, color: .black), .blur(radius: -1),
    .blur(radius: .nan), .blur(radius: 1e300), .sharpen(amount: -1), .sharpen(amount: 1, radius: .nan),
    .brightness(-1), .contrast(.nan), .saturation(.infinity), .exposure(stops: 1e9), .pixelate(blockSize: 0),
    .pixelate(blockSize: .max), .padding(left: -1), .padding(top: .max), .extend(width: -1, height: 2),
    .extend(width: 1_000_000, height: 1_000_000), .crop(width: 0, height: 1, anchor: .smart),
    SharpenLightnessProcessor(sigma: .nan),
    .trim(threshold: -1), .trim(threshold: .nan),
  ]
}
