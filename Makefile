# Every target installs what it lacks first, where apt-get can, and otherwise needs nothing but Swift.

SWIFT ?= swift
SOURCES = Package.swift Sources Tests Tools/Package.swift Tools/Sources Tools/Tests \
  Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources \
  Examples/Package.swift $(filter-out Examples/Sources/Support,$(wildcard Examples/Sources/*))

# The fuzzer's own main function gives way to Swift's, which gold does not do.
FUZZ_FLAGS = -Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=fuzzer-no-link,address -Xswiftc -use-ld=lld \
  -Xlinker --allow-multiple-definition $(UNDEFINED_FLAGS)

# Swift's crash reporter can hang where there is no terminal.
export SWIFT_BACKTRACE ?= enable=no

.PHONY: demo gallery test bench bench-views bench-memory bench-processors bench-disk bench-network bench-downsample \
  bench-pipeline torture fuzz test-sanitize test-release format docs packages all-packages

demo: packages ## Loads photos from a server of its own, and shows from where and how fast they came.
	$(SWIFT) run --quiet halcyon-demo

gallery: all-packages ## Shows hundreds of pictures in a window; `make gallery ARGUMENTS=FOLDER` those of a folder.
	$(SWIFT) run --quiet -c release --package-path Examples halcyon-gallery $(ARGUMENTS)

test: export HALCYON_WARNINGS_AS_ERRORS = 1
test: all-packages ## Checks the format, and runs all tests.
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	$(SWIFT) test --disable-xctest --enable-all-traits
	Scripts/check-names
	$(SWIFT) test --disable-xctest --package-path Tools
	$(SWIFT) build --package-path Benchmarks
	$(SWIFT) build --package-path Examples
	Scripts/check-gallery
	$(SWIFT) build --package-path Tests/AppleStandIns
	Scripts/check-consumer

# Swift traps where C has undefined behaviour, and has no such sanitizer on Linux; the shims in C trap as well.
UNDEFINED_FLAGS = -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined

# One test at a time: all at once take so long there that idle connections and time limits run out.
test-sanitize: all-packages ## Runs the tests under the thread sanitizer, then under those for addresses and undefined behaviour.
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/races.supp \
	$(SWIFT) test --disable-xctest --no-parallel --sanitize=thread --scratch-path .build-thread
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp \
	$(SWIFT) test --disable-xctest --no-parallel --enable-all-traits --sanitize=address $(UNDEFINED_FLAGS) --scratch-path .build-address

fuzz: SECONDS ?= 60
fuzz: all-packages ## Feeds made-up bytes to the decoders for SECONDS, beginning with the files in DIR if that is given.
	$(SWIFT) build -c release --package-path Fuzz --product halcyon-fuzz $(FUZZ_FLAGS)
	mkdir -p .build-fuzz/corpus
	Fuzz/.build/release/halcyon-fuzz -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
	  -artifact_prefix=.build-fuzz/ .build-fuzz/corpus Fuzz/Seeds $(DIR)

test-release: all-packages ## Runs the tests as optimised as users run the code.
	$(SWIFT) test --disable-xctest -c release -Xswiftc -enable-testing --scratch-path .build-release

bench-memory: packages ## Prints the figures of the memory cache.
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench memory

bench-processors: packages ## Prints METRIC lines for the processors, on one megapixel.
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench processors

bench: packages ## Prints one METRIC line for each figure.
	@Scripts/install-packages curl
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench

# Without a graphics card GL would be emulated with this program's time and memory.
bench-views: all-packages ## Prints METRIC lines for views in a window, beside what GTK programs do by themselves.
	$(SWIFT) build --quiet -c release --package-path Examples --product halcyon-bench-views
	GSK_RENDERER=cairo GDK_DEBUG=gl-disable xvfb-run -a Examples/.build/release/halcyon-bench-views

torture: ROUNDS ?= 500
torture: packages ## Kills processes that write to a disk cache ROUNDS times, and checks what they leave.
	$(SWIFT) run --quiet -c release halcyon-torture $(ROUNDS)

bench-disk: packages ## Prints METRIC lines for the disk cache alone.
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench disk

bench-downsample: PEER ?= libvips
bench-downsample: all-packages ## Decodes the images in DIR, or photographs it gathers, at small sizes beside libvips.
	@Scripts/install-packages libvips-dev mate-backgrounds gnome-backgrounds
	HALCYON_PEER=$(PEER) $(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-downsample $(DIR)

bench-pipeline: packages ## Prints METRIC lines for the pipeline; with PEER=libvips also for processors beside libvips.
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench pipeline
ifeq ($(PEER),libvips)
	@Scripts/install-packages all libvips-dev
	HALCYON_PEER=libvips $(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-downsample processors
endif

bench-network: packages ## Prints METRIC lines for the network, beside curl.
	@Scripts/install-packages curl
	$(SWIFT) run --quiet -c release --package-path Benchmarks halcyon-bench network

format: ## Formats all sources.
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

docs: packages ## Writes the documentation of Halcyon and HalcyonTesting as a web site to .build-docs/site.
	Scripts/build-docs

packages:
	@Scripts/install-packages

all-packages:
	@Scripts/install-packages all
