# libkiln.so: the ICD. Everything hidden but what the version script names.
add_library(kiln-objects STATIC ${KILN_CLIENT_SOURCES} ${KILN_DRIVER_SOURCES} ${KILN_CORE_SOURCES} ${KILN_API_SOURCES})
target_link_libraries(kiln-objects PUBLIC kiln-base)
find_path(KILN_HWLOC_INCLUDE hwloc.h REQUIRED) # opened at run time, when affinity domains are asked for
target_include_directories(kiln-objects PRIVATE ${KILN_HWLOC_INCLUDE})
target_compile_definitions(kiln-objects PRIVATE KILN_VERSION="${PROJECT_VERSION}")

file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.c "")
add_library(kiln SHARED ${CMAKE_CURRENT_BINARY_DIR}/empty.c) # all code comes from the archives
target_link_libraries(kiln PRIVATE -Wl,--whole-archive kiln-objects -Wl,--no-whole-archive kiln-base dl pthread m)
target_link_options(kiln PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/libkiln.map -Wl,-z,nodelete -Wl,-Bsymbolic)
set_target_properties(kiln PROPERTIES LINKER_LANGUAGE C VERSION ${PROJECT_VERSION} SOVERSION 0
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/libkiln.map LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# In-tree tests and demos: OCL_ICD_VENDORS=<build>/vendors names Kiln alone.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/vendors/kiln.icd CONTENT "$<TARGET_FILE:kiln>\n")
if(NOT KILN_SANITIZE)
  target_link_options(kiln PRIVATE -Wl,-z,defs) # sanitizer runtimes resolve in the program
endif()
