sudo apt-get install pkg-config libcurl4-openssl-dev libsqlite3-dev zlib1g-dev libjpeg62-turbo-dev \
  libspng-dev libwebp-dev libtiff-dev libzimg-dev liblcms2-dev libgtk-4-dev adwaita-icon-theme
swift --version   # 6.3 or newer
