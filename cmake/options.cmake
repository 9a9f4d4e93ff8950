# Compiler and linker options every Kiln target shares: kiln_options(<target>).
add_library(kiln-options INTERFACE)
target_compile_definitions(kiln-options INTERFACE _GNU_SOURCE CL_TARGET_OPENCL_VERSION=300)
target_include_directories(kiln-options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_options(kiln-options INTERFACE
  -Wall -Wextra -Wundef -Wshadow -Wno-unused-parameter -fvisibility=hidden -fno-strict-aliasing
  $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes -Wstrict-prototypes -Wvla>
  $<$<BOOL:${KILN_WERROR}>:-Werror>)
target_link_options(kiln-options INTERFACE -fuse-ld=lld -Wl,--build-id)
if(KILN_FUZZ)
  target_compile_options(kiln-options INTERFACE -fsanitize-coverage=trace-pc)
  target_compile_definitions(kiln-options INTERFACE KILN_FUZZ=1)
endif()
if(KILN_SANITIZE)
  # The sanitizers' checks add paths, and hide ranges of values, that make GCC warn of formats that cannot overflow.
  target_compile_options(kiln-options INTERFACE -fsanitize=${KILN_SANITIZE} -fno-omit-frame-pointer
    $<$<COMPILE_LANGUAGE:C>:-Wno-format-overflow -Wno-format-truncation>)
  target_link_options(kiln-options INTERFACE -fsanitize=${KILN_SANITIZE})
  string(MAKE_C_IDENTIFIER "KILN_SANITIZE_${KILN_SANITIZE}" kiln_sanitize_macro)
  target_compile_definitions(kiln-options INTERFACE ${kiln_sanitize_macro}=1)
endif()
