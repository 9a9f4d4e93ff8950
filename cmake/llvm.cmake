# LLVM and Clang 19: include folders, version, the tools that the build itself runs (clang-19).
# find_package(Clang) after find_package(LLVM) would take another version; libraries are named by hand instead.
find_package(LLVM 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm /usr/lib/llvm-19/cmake NO_DEFAULT_PATH)
find_program(KILN_CLANG NAMES clang-19 clang HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED NO_DEFAULT_PATH
             PATHS /usr/lib/llvm-19/bin)
get_filename_component(KILN_LLVM_PREFIX ${LLVM_TOOLS_BINARY_DIR} DIRECTORY)

add_library(kiln-llvm-headers INTERFACE)
target_include_directories(kiln-llvm-headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(kiln-llvm-headers INTERFACE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
