# Targets that build first install missing system packages, where apt-get or dnf is available; beyond those they only need
# Swift.

SWIFT ?= swift
SOURCES = Package.swift Sources Tests Tools/Package.swift Tools/Sources Tools/Tests Service/Package.swift \
  Service/Sources Service/Tests Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Resampling Benchmarks/Memcached \
  Examples Fuzz/Package.swift Fuzz/Sources Scripts/snippets

# libFuzzer brings a `main` function of its own; with lld Swift's replaces it, which gold does not support.
FUZZ_FLAGS = -Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=fuzzer-no-link,address -Xswiftc -use-ld=lld \
  -Xlinker --allow-multiple-definition $(UNDEFINED_FLAGS)

# Swift's crash reporter can hang without a terminal.
export SWIFT_BACKTRACE ?= enable=no

# Where Scripts/install-packages installs moto's server, if it is not on the PATH.
MOTO = $(CURDIR)/.build-moto/bin

.PHONY: help demo gallery serve install release check-page check-stand-ins check test verify lint test-release test-sanitize fuzz torture soak api format deb docs \
  bench bench-views bench-memory bench-resampling bench-disk bench-network bench-downsample bench-region \
  bench-pipeline bench-instructions bench-build bench-convert bench-colour bench-hdr bench-service fleet bench-fleet packages all-packages

# Says what begins, and how long it takes where nothing is built yet. SwiftPM prints its steps after that.
building = echo "Building $(1); the first time this takes $(2)."

help: ## Lists the targets.
	@sed -nE 's/^([a-z-]+):.* ## (.*)/\1|\2/p' Makefile | awk -F '|' '{ printf "%-18s %s\n", $$1, $$2 }'

# A folder of its own, which no other traits and no build that is running change.
demo: packages ## Loads photos from a local server and prints the source and the load time of each.
	@$(call building,the demo,a minute or two)
	@$(SWIFT) build --scratch-path .build-demo --product halcyon-demo
	@.build-demo/debug/halcyon-demo

gallery: all-packages ## Shows hundreds of images in a window, or a folder: `make gallery ARGUMENTS=FOLDER`.
	@$(call building,the gallery,some minutes)
	@$(SWIFT) build -c release --package-path Examples --product halcyon-gallery
	@Examples/.build/release/halcyon-gallery $(ARGUMENTS)

serve: all-packages ## Serves the bundled photos, resized and converted; `make serve CHECK=1` loads some and ends.
	@$(call building,the image service,some minutes)
	@$(SWIFT) build -c release --package-path Service --product halcyon-serve
	@Service/Scripts/serve $(if $(CHECK),--check) $(ARGUMENTS)

check-page: all-packages ## Checks the web page of the image service in headless Chromium.
	@Scripts/install-packages chromium
	$(SWIFT) build --quiet -c release --package-path Service --product halcyon-serve
	Service/Scripts/check-page $(ARGUMENTS)

check: all-packages ## Checks format, layers, Markdown, public API and snippets, and runs the unit tests; before each commit.
	@Scripts/run-checks check

test: all-packages ## Runs all tests: library, windows, demo, command line and image service.
	@Scripts/run-checks test

verify: all-packages ## Checks what guards a release besides `make test`: Apple's platforms, users' programs, guides, every bench.
	@Scripts/run-checks verify
	@Scripts/run-checks measure

# Swift itself traps where C has undefined behaviour, and has no UndefinedBehaviorSanitizer on Linux: the flags make the
# C shims trap too.
UNDEFINED_FLAGS = -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined

# One test at a time: in parallel, sanitized tests are so slow that idle connections and timeouts expire.
test-sanitize: all-packages ## Runs the tests with ThreadSanitizer, then with AddressSanitizer and traps on undefined behaviour in C.
	HALCYON_TEST_PATIENCE=10 TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/races.supp \
	$(SWIFT) test --disable-xctest --no-parallel --sanitize=thread --scratch-path .build-thread
	HALCYON_CHECKS=1 HALCYON_TEST_PATIENCE=10 LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp \
	$(SWIFT) test --disable-xctest --no-parallel --sanitize=address $(UNDEFINED_FLAGS) --scratch-path .build-address

fuzz: SECONDS ?= 60
fuzz: all-packages ## Fuzzes decoders and readers of metadata for SECONDS (default 60), with the files in DIR as additional seeds; then URLs.
	$(SWIFT) build -c release --package-path Fuzz --product halcyon-fuzz $(FUZZ_FLAGS)
	mkdir -p .build-fuzz/corpus
	LSAN_OPTIONS=suppressions=$(CURDIR)/Fuzz/leaks.supp \
	Fuzz/.build/release/halcyon-fuzz -max_total_time=$(SECONDS) -timeout=30 -rss_limit_mb=1024 -max_len=65536 \
	  -dict=Fuzz/svg.dict -artifact_prefix=.build-fuzz/ .build-fuzz/corpus Fuzz/Seeds $(if $(DIR),"$(DIR)")
	HALCYON_CHECKS=1 SWIFT_DETERMINISTIC_HASHING=1 HALCYON_FUZZ_SECONDS=$(SECONDS) HALCYON_TEST_PATIENCE=4 $(SWIFT) test --disable-xctest \
	  --package-path Service --scratch-path .build-test -debug-info-format none --filter ExtremeOptionTests

test-release: all-packages ## Runs the tests in release configuration.
	$(SWIFT) test --disable-xctest -c release -Xswiftc -enable-testing --scratch-path .build-release
	Benchmarks/Scripts/check-inlining .build-release/release

bench-memory: packages ## Prints METRIC lines for the memory cache.
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench memory

bench: packages ## Runs all benchmarks of halcyon-bench; prints one METRIC line per figure.
	@Scripts/install-packages curl
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench
	$(SWIFT) run --quiet -c release halcyon-bench-resampling

bench-resampling: packages ## Prints METRIC lines for resizing in Swift, against zimg.
	$(SWIFT) run --quiet -c release halcyon-bench-resampling

# Without a GPU, OpenGL would be emulated in software within the measured process; cairo avoids that.
bench-views: all-packages ## Prints METRIC lines for GTK views, compared with plain GTK.
	$(SWIFT) build --quiet -c release --package-path Examples --product halcyon-bench-views
	GSK_RENDERER=cairo GDK_DEBUG=gl-disable xvfb-run -a Examples/.build/release/halcyon-bench-views

bench-build: packages ## Prints METRIC lines for the first build, a rebuild, and the size of programs; takes minutes.
	Benchmarks/Scripts/bench-build

torture: ROUNDS ?= 500
torture: packages ## Crash test: kills processes that write to a disk cache ROUNDS times (default 500), and checks its recovery.
	$(SWIFT) run --quiet -c release halcyon-torture $(ROUNDS)

bench-disk: packages ## Prints METRIC lines for the disk cache.
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench disk

bench-convert: ROUNDS ?= 5
bench-convert: all-packages ## Converts 200 photographs with `halcyon convert` and vipsthumbnail; prints METRIC lines with the ratio of their times.
	@Scripts/install-packages libvips-tools mate-backgrounds gnome-backgrounds
	$(SWIFT) build --quiet -c release --package-path Tools --product halcyon
	@Benchmarks/Scripts/bench-convert $(ROUNDS)

bench-hdr: ROUNDS ?= 9
bench-hdr: all-packages ## Keeps high dynamic range; prints METRIC lines with differences to avifdec and djxl, and the cost.
	@Scripts/install-packages python3-numpy python3-pil libavif-bin libjxl-tools
	@$(SWIFT) build --quiet -c release --package-path Tools --product halcyon
	@Benchmarks/Scripts/bench-colour --hdr $(ROUNDS)

bench-colour: ROUNDS ?= 9
bench-colour: all-packages ## Decodes high dynamic range and wide colours; prints METRIC lines with times, and differences to Chromium and Little CMS.
	@Scripts/install-packages chromium libavif-bin python3-numpy python3-pil
	$(SWIFT) build --quiet -c release --package-path Tools --product halcyon
	@Benchmarks/Scripts/bench-colour $(ROUNDS)

bench-downsample: PEER ?= libvips
bench-downsample: all-packages ## Benchmarks downsampling the images in DIR, or a default corpus, against libvips.
	@Scripts/install-packages libvips-dev mate-backgrounds gnome-backgrounds
	HALCYON_PEER=$(PEER) $(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-downsample $(if $(DIR),"$(DIR)")

bench-region: ROUNDS ?= 5
bench-region: all-packages ## Decodes a region of large pictures, beside libvips and djpeg; prints METRIC lines with time and memory.
	@Scripts/install-packages libvips-tools libjpeg-turbo-progs mate-backgrounds gnome-backgrounds
	HALCYON_PEER=libvips $(SWIFT) build --quiet -c release --package-path Benchmarks --product halcyon-region
	@Benchmarks/Scripts/bench-region $(ROUNDS)

bench-pipeline: packages ## Prints METRIC lines for the pipeline; with PEER=libvips also for processors, against libvips.
ifeq ($(PEER),libvips)
	@Scripts/install-packages all libvips-dev
endif
	HALCYON_PEER=$(PEER) $(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench pipeline
ifeq ($(PEER),libvips)
	HALCYON_PEER=libvips $(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-downsample processors
endif

bench-instructions: packages ## Counts the instructions of a load without codec and socket; prints METRIC lines.
	@Scripts/install-packages valgrind
	@Benchmarks/Scripts/bench-instructions

bench-network: packages ## Prints METRIC lines for network loads, against curl.
	@Scripts/install-packages curl
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench network

bench-service: all-packages ## Prints METRIC lines for the image service, beside nginx and thumbor.
	@Scripts/install-packages wrk nginx-light libnginx-mod-http-image-filter
	$(SWIFT) build --quiet -c release --static-swift-stdlib --package-path Service --product halcyon-serve
	Service/Scripts/bench-service $(ARGUMENTS)

fleet: all-packages ## Runs three nodes, memcached, S3-compatible storage and HAProxy on this machine, and stops one after another.
	@Scripts/install-packages haproxy
	@Scripts/install-packages moto
	$(SWIFT) build --quiet -c release --package-path Service --product halcyon-serve
	PATH="$(MOTO):$$PATH" Service/Scripts/bench-fleet --only deaths --requests 12000 --seconds 10 $(ARGUMENTS)

bench-fleet: all-packages ## Prints METRIC lines for the fleet, and for a look-up in memcached beside libmemcached alone; takes ten minutes.
	@Scripts/install-packages haproxy wrk
	@Scripts/install-packages moto
	$(SWIFT) build --quiet -c release --package-path Service --product halcyon-serve
	$(SWIFT) run --quiet -c release --traits Memcached halcyon-bench-memcached
	PATH="$(MOTO):$$PATH" Service/Scripts/bench-fleet $(ARGUMENTS)

soak: REQUESTS ?= 200000
soak: all-packages ## Sends REQUESTS (default 200000) mixed requests to the image service, with faults; takes minutes.
	$(SWIFT) build --quiet -c release --package-path Service --product halcyon-serve
	Service/Scripts/soak-service --requests $(REQUESTS)

install: PREFIX ?= /usr/local
install: all-packages ## Builds halcyon and halcyon-serve, and installs them in PREFIX (default /usr/local)/bin.
	@Tools/Packaging/build-programs "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/doc/halcyon/copyright"

deb: all-packages ## Builds a Debian package of the command line and the image service, and checks it.
	Tools/Packaging/check-deb

release: all-packages ## Checks everything, and makes the files of a release in .build-dist.
	@Scripts/install-packages patchelf
	Scripts/release

check-stand-ins: ## Checks the stand-ins for Apple's frameworks against the record of PyObjC; downloads it from PyPI.
	Tests/AppleStandIns/Scripts/check-stand-ins

api: all-packages ## Writes the list of the public API, Scripts/public-api.txt.
	@Scripts/run-checks build
	Scripts/list-api

lint: ## Checks the format of all sources.
	@$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

format: ## Formats all sources.
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

docs: all-packages ## Builds the documentation website in .build-docs/site, and checks its links; `make docs SERVE=1` shows it.
	@$(call building,the documentation,some minutes)
	@Scripts/build-docs $(if $(BASE_PATH),--base-path $(BASE_PATH)) $(if $(SERVE),--serve) --build

packages:
	@Scripts/install-packages

all-packages:
	@Scripts/install-packages all
