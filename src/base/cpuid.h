/* What the processor can do, from CPUID and XGETBV, in LLVM's words. Never from a processor's name. */
#ifndef KILN_BASE_CPUID_H
#define KILN_BASE_CPUID_H

#include <stdbool.h>
#include <stddef.h>

/* LLVM target features of this machine, "+sse3,+ssse3,...", within KILN_CPU_FEATURES (sse2, sse4.2, avx2 or
 * avx512: nothing above it); "" for plain x86-64. False if out is too small (2048 bytes suffice).
 * Thread-safe. */
bool kiln_cpu_features(char *out, size_t size);

/* The processor LLVM should tune for, chosen by such a list of features and the maker: static text. */
const char *kiln_cpu_tune(const char *features);

/* Such a list is of Zen 5 or what follows it: no other has both VP2INTERSECT and the VEX forms of VNNI. */
bool kiln_cpu_is_from_zen5(const char *features);

/* Such a list is of Sapphire Rapids or what follows it: no other computes with halves in 512 bits. */
bool kiln_cpu_is_from_sapphire_rapids(const char *features);

/* Width of the widest vector register in such a list, bits. */
unsigned kiln_cpu_vector_bits(const char *features);

#endif
