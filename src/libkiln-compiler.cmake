# libkiln-compiler.so: LLVM and Clang 19, static and hidden, behind one symbol; and the helper executable.
file(GLOB KILN_COMPILER_SOURCES CONFIGURE_DEPENDS compiler/*.c compiler/spmd/*.c)
file(GLOB KILN_COMPILER_CXX CONFIGURE_DEPENDS compiler/*.cc)
foreach(other helper_main builtins elementwise mangle permutes visit) # all but the first: cmake/builtins.cmake
  list(REMOVE_ITEM KILN_COMPILER_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/compiler/${other}.c)
endforeach()
include(builtins)

# The file that travels inside the library: clang's base header.
set(KILN_BASE_HEADER ${KILN_LLVM_PREFIX}/lib/clang/${LLVM_VERSION_MAJOR}/include/opencl-c-base.h)
set_source_files_properties(compiler/embed.S PROPERTIES
  COMPILE_DEFINITIONS "KILN_BASE_HEADER=\"${KILN_BASE_HEADER}\""
  OBJECT_DEPENDS "${KILN_BASE_HEADER}")

add_library(kiln-compiler SHARED ${KILN_COMPILER_CXX} compiler/embed.S ${KILN_COMPILER_SOURCES}
            compiler/client/options.c compiler/client/wire.c)
target_link_libraries(kiln-compiler PRIVATE kiln-options kiln-llvm-headers kiln-builtins kiln-base)
target_compile_definitions(kiln-compiler PRIVATE KILN_VERSION="${PROJECT_VERSION}")
target_compile_options(kiln-compiler PRIVATE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -Wno-overloaded-virtual> -ffunction-sections -fdata-sections)
# Full DWARF of clang's headers: 100 MB. With a sanitizer these headers would poison memory that the LLVM of the
# system, built without, writes to. Without NDEBUG some of LLVM's classes would be longer than in that LLVM.
set(KILN_FRONTEND_OPTIONS -g1 -DNDEBUG)
if(KILN_SANITIZE)
  list(APPEND KILN_FRONTEND_OPTIONS -fno-sanitize=all)
endif()
set_source_files_properties(${KILN_COMPILER_CXX} PROPERTIES
  COMPILE_OPTIONS "${KILN_FRONTEND_OPTIONS}")
set_target_properties(kiln-compiler PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/libkiln-compiler.map)
target_link_options(kiln-compiler PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/libkiln-compiler.map
  -Wl,-z,nodelete -Wl,-Bsymbolic -Wl,-z,defs -Wl,--gc-sections -B${LLVM_TOOLS_BINARY_DIR})

set(KILN_CLANG_LIBS clangCodeGen clangFrontend clangDriver clangSerialization clangParse clangSema clangAPINotes
  clangEdit clangAnalysis clangASTMatchers clangAST clangSupport clangLex clangBasic)
if(KILN_LLVM_SHARED)
  # Debian has the name without a version in a package of its own, which nothing else here needs
  find_library(KILN_CLANG_SHARED_LIBRARY NAMES clang-cpp libclang-cpp.so.${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}
               libclang-cpp.so.${LLVM_VERSION_MAJOR} PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
  target_link_libraries(kiln-compiler PRIVATE ${KILN_CLANG_SHARED_LIBRARY} ${KILN_LLVM_SHARED_LIBRARY})
else()
  # --start-lib semantics of archives under lld need no ordering.
  set(KILN_LLVM_LIBS FrontendDriver FrontendHLSL FrontendOffloading FrontendOpenMP FrontendOpenACC Passes IRPrinter
    HipStdPar Coroutines Instrumentation LTO CodeGenData Extensions ipo Vectorize Linker
    X86CodeGen X86AsmParser X86Desc X86Disassembler X86Info NVPTXCodeGen NVPTXDesc NVPTXInfo
    GlobalISel SelectionDAG AsmPrinter CodeGen CodeGenTypes CFGuard Target ObjCARCOpts ScalarOpts InstCombine
    AggressiveInstCombine TransformUtils BitWriter Analysis Coverage ProfileData Symbolize DebugInfoDWARF
    DebugInfoPDB DebugInfoMSF DebugInfoCodeView DebugInfoBTF IRReader AsmParser Object TextAPI MCParser MCDisassembler
    MC BitReader Core Remarks BitstreamReader BinaryFormat TargetParser Option WindowsDriver Support Demangle)
  set(targets ${CMAKE_CURRENT_BINARY_DIR}/clang-targets/targets.o)
  add_custom_command(OUTPUT ${targets} DEPENDS ${CMAKE_SOURCE_DIR}/cmake/small_targets.cmake ${KILN_LLVM_PREFIX}/lib/libclangBasic.a
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DAR=${CMAKE_AR} -DOBJCOPY=${CMAKE_OBJCOPY} -DARCHIVE=${KILN_LLVM_PREFIX}/lib/libclangBasic.a
      -DOUT=${targets} -P ${CMAKE_SOURCE_DIR}/cmake/small_targets.cmake VERBATIM)
  set_source_files_properties(${targets} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(kiln-compiler PRIVATE ${targets})
  foreach(lib ${KILN_CLANG_LIBS})
    target_link_libraries(kiln-compiler PRIVATE ${KILN_LLVM_PREFIX}/lib/lib${lib}.a)
  endforeach()
  foreach(lib ${KILN_LLVM_LIBS})
    target_link_libraries(kiln-compiler PRIVATE ${KILN_LLVM_PREFIX}/lib/libLLVM${lib}.a)
  endforeach()
  target_link_libraries(kiln-compiler PRIVATE ${KILN_LLVM_PREFIX}/lib/libPolly.a ${KILN_LLVM_PREFIX}/lib/libPollyISL.a)
  target_link_options(kiln-compiler PRIVATE -static-libstdc++ -static-libgcc
    -Wl,--wrap=_ZN5clang17noteBottomOfStackEv -Wl,--wrap=__cxa_atexit
    -Wl,--wrap=_ZNK4llvm19TargetSubtargetInfo25enableRALocalReassignmentENS_15CodeGenOptLevelE
    -Wl,--icf=all -Wl,-O1 -Wl,--exclude-libs,ALL)
  if(KILN_BOLT)
    # llvm-bolt 19 writes into the wrong places where relocations are packed
    target_link_options(kiln-compiler PRIVATE -Wl,--emit-relocs)
  else()
    target_link_options(kiln-compiler PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
  if(NOT KILN_SANITIZE)
    foreach(name malloc calloc realloc free posix_memalign aligned_alloc memalign reallocarray malloc_usable_size)
      target_link_options(kiln-compiler PRIVATE -Wl,--wrap=${name})
    endforeach()
  endif()
endif()
# constant_pool.cc asks for LLVM's own function, too
target_link_options(kiln-compiler PRIVATE
  -Wl,--wrap=_ZN4llvm19MachineConstantPool20getConstantPoolIndexEPKNS_8ConstantENS_5AlignE)
find_library(KILN_ZLIB NAMES libz.a REQUIRED) # LLVM's compressed sections; static like the rest
find_library(KILN_ZSTD NAMES libzstd.a REQUIRED)
target_link_libraries(kiln-compiler PRIVATE ${KILN_ZLIB} ${KILN_ZSTD} rt dl pthread m)

add_executable(kiln-compile compiler/helper_main.c compiler/client/wire.c)
target_link_libraries(kiln-compile PRIVATE kiln-base dl pthread)
set_target_properties(kiln-compile PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(KILN_BOLT)
  if(KILN_LLVM_SHARED OR KILN_SANITIZE)
    message(FATAL_ERROR "KILN_BOLT lays out LLVM's code: it goes with neither KILN_LLVM_SHARED nor KILN_SANITIZE")
  endif()
  find_program(KILN_LLVM_BOLT NAMES llvm-bolt PATHS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
  find_program(KILN_MERGE_FDATA NAMES merge-fdata PATHS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
  add_dependencies(kiln-compiler kiln kiln-tool)
  add_custom_command(TARGET kiln-compiler POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DBOLT=${KILN_LLVM_BOLT} -DMERGE=${KILN_MERGE_FDATA} -DLIBRARY=$<TARGET_FILE:kiln-compiler>
      -DKILN=$<TARGET_FILE:kiln-tool> -DVENDORS=${CMAKE_BINARY_DIR}/vendors -DKERNELS=${CMAKE_SOURCE_DIR}/bench
      -DWORK=${CMAKE_BINARY_DIR}/bolt -P ${CMAKE_SOURCE_DIR}/cmake/bolt.cmake
    COMMENT "Laying out libkiln-compiler.so by a profile (minutes)" VERBATIM)
endif()
