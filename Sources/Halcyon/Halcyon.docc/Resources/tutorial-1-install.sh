sudo apt-get install --no-install-recommends git binutils libc6-dev libstdc++-12-dev libncurses6 libxml2 tzdata \
  pkg-config libcurl4-openssl-dev libsqlite3-dev zlib1g-dev libjpeg-dev \
  libspng-dev libwebp-dev libtiff-dev libzimg-dev liblcms2-dev libgtk-4-dev adwaita-icon-theme
swift --version   # 6.3 or newer
