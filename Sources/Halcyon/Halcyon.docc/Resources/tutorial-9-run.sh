$ swift run -c release Photos https://example.com/photo.jpg https://example.com/another.jpg
$ swift run -c release Photos /usr/share/backgrounds/*.jpg
