/* Owns the passes of code generation; see object_file.h. LLVM's C interface sets them up anew for each
 * module, which LLVM's own passes do not need (llc -compile-twice). Must know nothing of kernels. */
#include "compiler/object_file.h"

#include "compiler/long_blocks.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace {

/* Counts what is about to be written. */
class Counter : public llvm::MachineFunctionPass {
public:
  static char ID;
  explicit Counter(unsigned &total) : MachineFunctionPass(ID), count(total) {}

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    for (const llvm::MachineBasicBlock &block : function)
      for (const llvm::MachineInstr &i : block) count += !i.isMetaInstruction();
    return false;
  }

  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

private:
  unsigned &count;
};

char Counter::ID;

} // namespace

struct kiln_object_maker {
  explicit kiln_object_maker(llvm::LLVMTargetMachine *target) : machine(target) {}

  llvm::LLVMTargetMachine *machine;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  unsigned instructions = 0;
  llvm::legacy::PassManager passes;
};

/* As LLVM's own addPassesToEmitFile, which asks for no choice of passes. Modules are not verified: LLVM's
 * release builds verify by default where no front end says otherwise. */
static bool add_passes(kiln_object_maker *maker, bool hoists) {
  auto *config = maker->machine->createPassConfig(maker->passes);
  auto *functions = new llvm::MachineModuleInfoWrapperPass(maker->machine);
  config->setDisableVerify(true);
  if (!hoists) config->disablePass(&llvm::EarlyMachineLICMID);
  kiln_long_blocks_cut(*config);
  maker->passes.add(config);
  maker->passes.add(functions);
  if (config->addISelPasses()) return false;
  config->addMachinePasses();
  config->setInitialized();
  maker->passes.add(new Counter(maker->instructions));
  if (maker->machine->addAsmPrinter(maker->passes, maker->stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                                    functions->getMMI().getContext()))
    return false;
  maker->passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

void kiln_machine_know_callees(LLVMTargetMachineRef machine, bool know) {
  reinterpret_cast<llvm::TargetMachine *>(machine)->Options.EnableIPRA = know;
}

kiln_object_maker *kiln_object_maker_create(LLVMTargetMachineRef machine, bool hoists) {
  auto *maker = new kiln_object_maker(reinterpret_cast<llvm::LLVMTargetMachine *>(machine));
  if (add_passes(maker, hoists)) return maker;
  delete maker;
  return nullptr;
}

void kiln_object_maker_dispose(kiln_object_maker *maker) { delete maker; }

size_t kiln_object_make(kiln_object_maker *maker, LLVMModuleRef module, const char **data_out,
                        unsigned *instructions_out) {
  llvm::Module *code = llvm::unwrap(module);
  maker->bytes.clear();
  maker->instructions = 0;
  code->setDataLayout(maker->machine->createDataLayout());
  maker->passes.run(*code);
  *data_out = maker->bytes.data();
  *instructions_out = maker->instructions;
  return maker->bytes.size();
}
