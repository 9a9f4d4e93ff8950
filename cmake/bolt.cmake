# cmake -DBOLT= -DMERGE= -DIN= -DOUT= -DKILN= -DVENDORS= -DKERNELS=folder -P bolt.cmake
# Lays the code of libkiln-compiler.so (IN, linked with its relocations) out anew, as OUT: what compiling the kernel
# files of KERNELS runs comes first and in a line, all else behind it. LLVM's archives come from the distribution,
# so their code cannot be compiled anew with a profile; its functions and blocks can be moved.
get_filename_component(folder ${OUT} DIRECTORY)
get_filename_component(name ${OUT} NAME_WE)
set(work ${folder}/${name}-profile)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

function(run log)
  execute_process(COMMAND ${ARGN} TIMEOUT 900 OUTPUT_FILE ${work}/${log} ERROR_FILE ${work}/${log} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${ARGN}: ${failed}; see ${work}/${log}")
  endif()
endfunction()

run(instrument.log ${BOLT} ${IN} -instrument -o ${work}/instrumented.so
  --instrumentation-file=${work}/run --instrumentation-file-append-pid)

# With the sets of instructions that most of code generation differs for; `avx512` is what the machine has of it. A
# run's profile takes 35 MB.
file(GLOB files ${KERNELS}/*.cl)
foreach(features avx512 avx2)
  foreach(file ${files})
    run(compile.log ${CMAKE_COMMAND} -E env OCL_ICD_VENDORS=${VENDORS} KILN_COMPILER=${work}/instrumented.so
      KILN_COMPILE_MODE=thread KILN_CACHE_DIR= KILN_CPU_FEATURES=${features} ${KILN} run -q ${file})
  endforeach()
  file(GLOB profiles ${work}/run.*.fdata)
  execute_process(COMMAND ${MERGE} ${profiles} OUTPUT_FILE ${work}/${features}.fdata ERROR_FILE ${work}/merge.log
    COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${profiles})
endforeach()
execute_process(COMMAND ${MERGE} ${work}/avx512.fdata ${work}/avx2.fdata OUTPUT_FILE ${work}/merged.fdata
  ERROR_FILE ${work}/merge.log COMMAND_ERROR_IS_FATAL ANY)

# New code takes the place of the old; without -use-gnu-stack strip would damage the file.
run(layout.log ${BOLT} ${IN} -o ${OUT} -data=${work}/merged.fdata -reorder-blocks=ext-tsp -reorder-functions=cdsort
  -split-functions -split-all-cold -split-eh -lite=0 -use-old-text -align-text=4096 -no-huge-pages -use-gnu-stack)
file(REMOVE ${work}/instrumented.so ${work}/avx512.fdata ${work}/avx2.fdata ${work}/merged.fdata)
