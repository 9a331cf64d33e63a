# The front door. CMake does the work; see README.md.
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
JOBS ?= $(shell nproc)
# Of every four seconds of a test, three are spent on waiting: with twice as many tests as processors half of the time went idle.
TESTS ?= $(shell expr 3 \* $(JOBS))
CMAKE_FLAGS ?=
TARGETS ?= all

all: $(BUILD)/Makefile
	@cmake --build $(BUILD) -j$(JOBS) --target $(TARGETS) -- --no-print-directory $(if $(VERBOSE),,-s)

$(BUILD)/Makefile:
	@scripts/deps build
	@cmake -S . -B $(BUILD) -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
	    -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

# Installs what is missing, builds, and finds the bug in examples/bank.c.
demo:
	@scripts/deps build
	@[ -x $(BUILD)/bin/darn ] || echo "Building darn, which takes a minute or two."
	@$(MAKE) --no-print-directory all
	@scripts/demo $(BUILD)

# Each claim once: those of the tools under ASan and UBSan, all others as darn is installed. With ROOM=engine (a folder of
# src/): the tests of that room alone.
check:
	@scripts/deps check
ifdef ROOM
	@$(MAKE) --no-print-directory $(BUILD)/Makefile
	@cmake --build $(BUILD) -j$(JOBS) --target $(if $(filter cli plugin,$(ROOM)),all) $(if $(filter plugin,$(ROOM)),,room-$(ROOM)) -- \
	    --no-print-directory $(if $(VERBOSE),,-s)
	@ctest --test-dir $(BUILD) --output-on-failure -j$(TESTS) -L '^room-($(ROOM)|all)$$' -LE '^more$$'
else
	@$(MAKE) --no-print-directory all TARGETS="all room-runtime fuzzers"
	@$(MAKE) --no-print-directory check-tools
	@ctest --test-dir $(BUILD) --output-on-failure -j$(TESTS) -LE '^(more|tools)$$'
endif

# Each claim in each build and mode; tests/README.md says what `check` leaves out.
check-all:
	@scripts/deps check
	@$(MAKE) --no-print-directory all TARGETS="all units fuzzers"
	@$(MAKE) --no-print-directory check-tools
	@ctest --test-dir $(BUILD) --output-on-failure -j$(TESTS)

check-tools:
	@$(MAKE) --no-print-directory all BUILD=$(BUILD)-asan TARGETS="all units" \
	    CMAKE_FLAGS="-DDARN_SANITIZE=ON -DDARN_PLAIN_BUILD=$(abspath $(BUILD))"
	@ctest --test-dir $(BUILD)-asan -L tools --output-on-failure -j$(TESTS)

# Every call of darn and of its runtime fails once; `check` does some of that.
check-fault:
	@scripts/deps check
	@$(MAKE) --no-print-directory all
	@tests/fault/run $(BUILD) all

# Compares darn with the plain build, TSan, DRD and Helgrind; writes docs/bench.md.
bench:
	@scripts/deps bench
	@$(MAKE) --no-print-directory all
	@bench/run $(BUILD)

install: all
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX) >/dev/null

# The Debian package, in the directory of the build.
package: all
	@cd $(BUILD) && cpack -G DEB >cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@ls $(BUILD)/darn_*.deb

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD).log $(BUILD)-asan.log bench/work

.PHONY: all demo check check-all check-tools check-fault bench install package clean
