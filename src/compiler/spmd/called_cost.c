/* Counts what functions consist of; see called_cost.h. Must not know what is around the call. */
#include "compiler/spmd/called_cost.h"

#include "compiler/spmd/lane_live.h"
#include "compiler/spmd/map.h"
#include "compiler/spmd/op_cost.h"

enum {
  MOST_COUNTED = 2000, /* instructions */
  ACCESS = 2 /* operations for each lane, as most are of private memory that the function is handed */
};

bool kiln_calls_function(const struct kl_inst *inst) {
  LLVMValueRef fn = kl_called(inst);
  return fn != NULL && !LLVMIsDeclaration(fn) && !kiln_call_is_of_image(inst->v) && !kl_calls_cold(inst);
}

static double cost_of(const struct kl_lane_costs *in, LLVMValueRef inst, unsigned width) {
  if (LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst)) return width == 1 ? 1 : ACCESS * width;
  if (kl_is_void(inst)) return 1;
  const uint64_t bytes = kiln_map_size(in->map, kiln_map_type(in->map, LLVMTypeOf(inst))) * width,
                 whole = 4ull * in->native;
  return bytes > whole ? (double)bytes / (double)whole : 1;
}

double kiln_called_cost(const struct kl_lane_costs *in, const struct kl_inst *call, unsigned width) {
  double cost = 0;
  unsigned n = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kl_called(call)); b != NULL && n < MOST_COUNTED;
       b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL && n < MOST_COUNTED;
         i = LLVMGetNextInstruction(i), n++)
      if (!kiln_lane_is_free(LLVMGetInstructionOpcode(i))) cost += cost_of(in, i, width);
  return cost < CALL ? CALL : cost;
}
