#include "PeerShim.h"

#include <webp/decode.h>

bool peer_webp_decode(const uint8_t *bytes, size_t count, bool skips_loop_filter) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(bytes, count, &config.input) != VP8_STATUS_OK) return false;
  config.options.bypass_filtering = skips_loop_filter;
  config.output.colorspace = config.input.has_alpha ? MODE_YUVA : MODE_YUV;
  bool is_done = WebPDecode(bytes, count, &config) == VP8_STATUS_OK;
  WebPFreeDecBuffer(&config.output);
  return is_done;
}
