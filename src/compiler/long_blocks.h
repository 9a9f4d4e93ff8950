/* Long straight code in several blocks, for the selection of instructions. */
#ifndef KILN_COMPILER_LONG_BLOCKS_H
#define KILN_COMPILER_LONG_BLOCKS_H

#ifdef __cplusplus
namespace llvm {
class TargetPassConfig;
}

/* Adds the pass just before instructions are selected. To be called before the passes of `config` are added;
 * the pass is theirs. */
void kiln_long_blocks_cut(llvm::TargetPassConfig &config);
#endif

#endif
