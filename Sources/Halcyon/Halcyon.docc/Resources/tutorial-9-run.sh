$ swift run -c release Photos https://example.com/photo.jpg https://example.com/another.jpg
$ swift run -c release Photos file:///usr/share/backgrounds/one.jpg file:///usr/share/backgrounds/two.jpg
