/* Owns where long straight code is cut before instructions are selected; see long_blocks.h. LLVM has no C
 * interface for passes of code generation. Must know nothing of kernels.
 *
 * Instructions are selected block by block, and some of that is quadratic in the block: for each load, all
 * others of the block that wait for the same store are looked at; for each that becomes the operand of
 * another instruction, what lies between. 2,000 lines of loads and stores in one block took 3.2 times as
 * long. */
#include "compiler/long_blocks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/StackProtector.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace {

/* Instructions of a piece; twice as many are no reason to cut. */
constexpr size_t Piece = 600;

/* A cut costs what lives across it: a value is kept in registers as it is, a mask is packed and unpacked. */
constexpr int OfValue = 1, OfMask = 100;

class Block {
public:
  explicit Block(llvm::BasicBlock &block) {
    for (llvm::Instruction &i : block) {
      place[&i] = at.size();
      if (llvm::isa<llvm::AllocaInst, llvm::PHINode>(i)) first = at.size() + 1;
      at.push_back(&i);
    }
    find_costs();
  }

  void cut() const {
    for (size_t from = first; at.size() - from > 2 * Piece;) {
      from = cheapest(from + Piece, from + 2 * Piece);
      at[from]->getParent()->splitBasicBlock(at[from]);
    }
  }

private:
  llvm::SmallVector<llvm::Instruction *, 0> at;
  llvm::DenseMap<const llvm::User *, size_t> place;
  llvm::SmallVector<int, 0> cost; /* of a cut before each instruction */
  size_t first = 0;               /* place: what stands before it begins the block */

  /* The place of the block's last instruction that uses the one at `i`, or i. */
  size_t last_use(size_t i) const {
    size_t last = i;
    for (const llvm::User *user : at[i]->users()) {
      const auto found = place.find(user);
      if (found != place.end() && found->second > last) last = found->second;
    }
    return last;
  }

  void find_costs() {
    cost.assign(at.size() + 1, 0);
    for (size_t i = 0; i < at.size(); i++) { /* changes, first */
      const int of_this = at[i]->getType()->isIntOrIntVectorTy(1) ? OfMask : OfValue;
      cost[i + 1] += of_this;
      cost[last_use(i) + 1] -= of_this;
    }
    for (size_t i = 1; i < cost.size(); i++) cost[i] += cost[i - 1];
  }

  size_t cheapest(size_t from, size_t to) const {
    size_t best = from;
    for (size_t i = from; i < to; i++)
      if (cost[i] < cost[best]) best = i;
    return best;
  }
};

class Cutter : public llvm::FunctionPass {
public:
  static char ID;
  Cutter() : FunctionPass(ID) {}

  bool runOnFunction(llvm::Function &function) override {
    llvm::SmallVector<llvm::BasicBlock *, 4> large;
    for (llvm::BasicBlock &block : function)
      if (block.size() > 2 * Piece) large.push_back(&block);
    for (llvm::BasicBlock *block : large) Block(*block).cut();
    return !large.empty();
  }

  /* What the pass before it has found, which stands. */
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.addPreserved<llvm::StackProtector>();
  }
};

char Cutter::ID;

} // namespace

void kiln_long_blocks_cut(llvm::TargetPassConfig &config) {
  config.insertPass(&llvm::StackProtector::ID, new Cutter);
}
