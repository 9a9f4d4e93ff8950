# The builtin library. Target kiln-builtins (static): src/compiler/builtins.c, builtin_forms.c, elementwise.c,
# mangle.c, permutes.c and visit.c with the embedded bitcode. Needs KILN_CLANG, kiln-llvm-headers and kiln-options;
# whoever links it also links LLVM's BitReader and Core and kiln-base.
set(KILN_BUILTIN_DIR ${CMAKE_SOURCE_DIR}/builtins)
set(KILN_BUILTIN_OUT ${CMAKE_BINARY_DIR}/builtins)
file(MAKE_DIRECTORY ${KILN_BUILTIN_OUT})
execute_process(COMMAND ${KILN_CLANG} -print-resource-dir OUTPUT_VARIABLE KILN_CLANG_RESOURCES
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# No vectors of the compiler's making, no contraction, no jump tables: the code is for every target, and for
# kernels that flush denormals and those that do not.
set(KILN_BUILTIN_FLAGS -x cl -cl-std=CL3.0 -cl-no-stdinc -Xclang -cl-ext=+all -O2 -ffp-contract=off
    -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-jump-tables -fno-strict-aliasing
    -fno-math-errno -fdenormal-fp-math=dynamic -isystem ${KILN_CLANG_RESOURCES}/include -I${KILN_BUILTIN_DIR}
    -I${CMAKE_SOURCE_DIR}/src -emit-llvm
    -Wall -Wextra -Wno-unused-parameter -Wno-unused-function)
# clang turns atomics for spir64 into library calls, so these are compiled for x86-64 with spir64's numbers
# and names of address spaces; the packer puts the calling convention right.
set(KILN_BUILTIN_TRIPLE -target spir64-unknown-unknown)
set(KILN_BUILTIN_TRIPLE_atomic -target x86_64-unknown-unknown -Xclang -ffake-address-space-map
    -Xclang -faddress-space-map-mangling=yes)
# What calls under -cl-fast-relaxed-math and native_ functions may have: flags that code generation goes by.
set(KILN_BUILTIN_FLAGS_math_finite -cl-fast-relaxed-math)

file(GLOB KILN_BUILTIN_SOURCES CONFIGURE_DEPENDS ${KILN_BUILTIN_DIR}/*.cl)
set(KILN_BUILTIN_BITCODE)
foreach(source ${KILN_BUILTIN_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  set(triple ${KILN_BUILTIN_TRIPLE})
  if(DEFINED KILN_BUILTIN_TRIPLE_${name})
    set(triple ${KILN_BUILTIN_TRIPLE_${name}})
  endif()
  set(bitcode ${KILN_BUILTIN_OUT}/${name}.bc)
  add_custom_command(OUTPUT ${bitcode}
    COMMAND ${KILN_CLANG} ${triple} ${KILN_BUILTIN_FLAGS} ${KILN_BUILTIN_FLAGS_${name}} -MD -MF ${bitcode}.d -c ${source} -o ${bitcode}
    DEPENDS ${source} DEPFILE ${bitcode}.d COMMENT "Compiling builtins ${name}" VERBATIM)
  list(APPEND KILN_BUILTIN_BITCODE ${bitcode})
endforeach()

# The packer runs at build time, so it uses the shared LLVM, which costs no link time.
find_library(KILN_LLVM_SHARED_LIBRARY NAMES LLVM-19 PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
add_executable(builtin_pack ${KILN_BUILTIN_DIR}/pack/builtin_pack.c)
target_include_directories(builtin_pack PRIVATE ${KILN_BUILTIN_DIR}/pack)
target_link_libraries(builtin_pack PRIVATE kiln-llvm-headers ${KILN_LLVM_SHARED_LIBRARY})
add_custom_command(OUTPUT ${KILN_BUILTIN_OUT}/builtins.bin
  COMMAND builtin_pack ${KILN_BUILTIN_OUT}/builtins.bin ${KILN_BUILTIN_BITCODE}
  DEPENDS builtin_pack ${KILN_BUILTIN_BITCODE} COMMENT "Packing builtins" VERBATIM)

set_source_files_properties(${KILN_BUILTIN_DIR}/builtins_data.S PROPERTIES
  COMPILE_DEFINITIONS "KILN_BUILTINS_BIN=\"${KILN_BUILTIN_OUT}/builtins.bin\";KILN_BUILTINS_HEADER=\"${KILN_BUILTIN_DIR}/header/kiln_extra.h\""
  OBJECT_DEPENDS "${KILN_BUILTIN_OUT}/builtins.bin;${KILN_BUILTIN_DIR}/header/kiln_extra.h")
add_library(kiln-builtins STATIC ${CMAKE_SOURCE_DIR}/src/compiler/builtins.c ${CMAKE_SOURCE_DIR}/src/compiler/builtin_forms.c
  ${CMAKE_SOURCE_DIR}/src/compiler/elementwise.c ${CMAKE_SOURCE_DIR}/src/compiler/mangle.c
  ${CMAKE_SOURCE_DIR}/src/compiler/permutes.c ${CMAKE_SOURCE_DIR}/src/compiler/visit.c ${KILN_BUILTIN_DIR}/builtins_data.S)
target_include_directories(kiln-builtins PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(kiln-builtins PUBLIC kiln-options kiln-llvm-headers)

# Tests are made later, by test/CMakeLists.txt; give those of the builtins what they link.
function(kiln_builtins_tests)
  foreach(test mangle builtins convert integer math math_double)
    if(TARGET unit-${test})
      target_link_libraries(unit-${test} PRIVATE kiln-builtins kiln-base ${KILN_LLVM_SHARED_LIBRARY} m quadmath)
      target_compile_definitions(unit-${test} PRIVATE KILN_CLANG="${KILN_CLANG}"
        KILN_TEST_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/test/unit")
    endif()
  endforeach()
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL kiln_builtins_tests)
