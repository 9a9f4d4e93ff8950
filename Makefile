# Two commands for users: make demo, make test. Everything else is CMake: see CONTRIBUTING.md.
.PHONY: demo test sanitize package deps clean
.DEFAULT_GOAL := demo

# Installs what is missing (Debian packages); silent when nothing is.
deps:
	@scripts/deps

build/%/build.ninja: CMakeLists.txt CMakePresets.json
	cmake --preset $*

# The main job on real input, every result checked, one table at the end.
demo: deps build/release/build.ninja
	cmake --build --preset release --target demo
	OCL_ICD_VENDORS=build/release/vendors EXAMPLES_NO_SKIP=1 examples/run_all.sh build/release

# The whole suite.
test: deps build/dev/build.ninja
	cmake --build --preset dev
	ctest --preset dev --output-on-failure

# The suite under the sanitizers.
sanitize: deps build/asan/build.ninja build/tsan/build.ninja
	cmake --build --preset asan
	ctest --preset asan
	cmake --build --preset tsan
	ctest --preset tsan

# A Debian package, under build/package. Its compiler is laid out by a profile, which takes some minutes.
package: deps
	scripts/deps bolt-19 libbolt-19-dev
	cmake --workflow --preset package

clean:
	rm -rf build
