/* The order of machine instructions. */
#ifndef KILN_COMPILER_SCHEDULE_H
#define KILN_COMPILER_SCHEDULE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Makes LLVM's option -misched=kiln known. Call once, before options are read. */
void kiln_schedule_register(void);

#ifdef __cplusplus
}
#endif

#endif
