# cmake -DBOLT= -DMERGE= -DLIBRARY= -DKILN= -DVENDORS= -DKERNELS=folder -DWORK=folder -P bolt.cmake
# Lays the code of libkiln-compiler.so, which was linked with its relocations, out anew: what compiling the kernel
# files of KERNELS runs comes first and in a line, all else behind it. LLVM's archives come from the distribution,
# so their code cannot be compiled anew with a profile; its functions and blocks can be moved.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(run log)
  execute_process(COMMAND ${ARGN} TIMEOUT 900 OUTPUT_FILE ${WORK}/${log} ERROR_FILE ${WORK}/${log} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${ARGN}: ${failed}; see ${WORK}/${log}")
  endif()
endfunction()

run(instrument.log ${BOLT} ${LIBRARY} -instrument -o ${WORK}/instrumented.so
  --instrumentation-file=${WORK}/run --instrumentation-file-append-pid)

# With the sets of instructions that most of code generation differs for; `avx512` is what the machine has of it. A
# run's profile takes 35 MB.
file(GLOB files ${KERNELS}/*.cl)
foreach(features avx512 avx2)
  foreach(file ${files})
    run(compile.log ${CMAKE_COMMAND} -E env OCL_ICD_VENDORS=${VENDORS} KILN_COMPILER=${WORK}/instrumented.so
      KILN_COMPILE_MODE=thread KILN_CACHE_DIR= KILN_CPU_FEATURES=${features} ${KILN} run -q ${file})
  endforeach()
  file(GLOB profiles ${WORK}/run.*.fdata)
  run(merge.log ${MERGE} -o ${WORK}/${features}.fdata ${profiles})
  file(REMOVE ${profiles})
endforeach()
run(merge.log ${MERGE} -o ${WORK}/merged.fdata ${WORK}/avx512.fdata ${WORK}/avx2.fdata)

# New code takes the place of the old; without -use-gnu-stack strip would damage the file.
run(layout.log ${BOLT} ${LIBRARY} -o ${WORK}/laid-out.so -data=${WORK}/merged.fdata
  -reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions -split-all-cold -split-eh -lite=0 -use-old-text -align-text=4096 -no-huge-pages -use-gnu-stack)
file(RENAME ${WORK}/laid-out.so ${LIBRARY})
file(REMOVE ${WORK}/instrumented.so ${WORK}/avx512.fdata ${WORK}/avx2.fdata ${WORK}/merged.fdata)
