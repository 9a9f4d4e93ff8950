# cmake -DNM= -DAR= -DOBJCOPY= -DARCHIVE=libclangBasic.a -DOUT=targets.o -P small_targets.cmake
# Clang's object with the list of all targets, in which the ones Kiln never compiles for are weak references: the linker
# then leaves them out. Their tables of builtins are a third of what is relocated when libkiln-compiler.so is opened.
set(kept "SPIR|X86|NVPTX")
get_filename_component(folder ${OUT} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${AR} x ${ARCHIVE} Targets.cpp.o WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NM} -u ${folder}/Targets.cpp.o OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]*5clang7targets[0-9]+[A-Za-z0-9_]*TargetInfo[^ \n]*" names "${symbols}")
list(FILTER names EXCLUDE REGEX "${kept}")
list(LENGTH names count)
if(count LESS 100)
  message(FATAL_ERROR "${ARCHIVE}: Targets.cpp.o refers to ${count} other targets' symbols; over 200 were expected")
endif()
list(JOIN names "\n" text)
file(WRITE ${OUT}.names "${text}\n")
execute_process(COMMAND ${OBJCOPY} --weaken-symbols=${OUT}.names ${folder}/Targets.cpp.o ${OUT} COMMAND_ERROR_IS_FATAL ANY)
