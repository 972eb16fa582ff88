/// The options of imgproxy's commercial edition that are not supported.
enum CommercialOptions {
  static let names = Set(
    """
    resizing_algorithm ra objects_position obj_pos op crop_aspect_ratio crop_ar car background_alpha bga monochrome mc \
    duotone dt unsharp_masking ush blur_areas ba progressive_blur pbl blur_detections bd draw_detections dd \
    crop_objects colorize col gradient gr watermark_url wmu watermark_text wmt watermark_size wms watermark_rotate \
    wm_rot wmr watermark_shadow wmsh style st dpi color_profile cp icc autoquality aq jpeg_options jpgo png_options \
    pngo webp_options webpo avif_options avifo page pg pages pgs disable_animation da video_thumbnail_second vts \
    video_thumbnail_keyframes vtk video_thumbnail_tile vtt video_thumbnail_animation vta fallback_image_url fiu \
    bypass_cache bc cache_tags ct hashsum hs
    """.split(separator: " ").map(String.init))
}
