$ export SWIFT_DETERMINISTIC_HASHING=1
$ swift run Photos https://example.com/photo.jpg
640x427 from network, 112525 bytes: storeRead 0.05 ms (absent), queue 0.01 ms, transfer 41.2 ms, decode 3.5 ms
$ swift run Photos https://example.com/photo.jpg
640x427 from store, 112525 bytes: storeRead 0.13 ms, decode 3.4 ms
$ swift run Photos photo.jpg
/home/ann/Photos/photo.jpg cannot be read: No such file or directory. Check its path and permissions.
