# The front door. CMake does the work; see README.md.
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=

all: $(BUILD)/Makefile
	@cmake --build $(BUILD) -j$(JOBS) -- --no-print-directory $(if $(VERBOSE),,-s)

$(BUILD)/Makefile:
	@scripts/deps build
	@cmake -S . -B $(BUILD) -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
	    -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

# Installs what is missing, builds, and finds the bug in examples/bank.c.
demo:
	@scripts/deps build
	@$(MAKE) --no-print-directory all
	@scripts/demo $(BUILD)

# The whole test suite: everything once, then the tools again under ASan and UBSan. With ROOM=engine (a folder of src/): the
# tests of that room alone.
check:
	@scripts/deps check
	@$(MAKE) --no-print-directory all
ifdef ROOM
	@ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS) -L '^room-($(ROOM)|all)$$'
else
	@$(MAKE) --no-print-directory all BUILD=$(BUILD)-asan CMAKE_FLAGS=-DDARN_SANITIZE=ON
	@ctest --test-dir $(BUILD)-asan -L tools --output-on-failure -j$(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS)
endif

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

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD).log $(BUILD)-asan.log bench/work

.PHONY: all demo check check-fault bench install clean
